namespace VectorPipe;

/// <summary>How an index that is a graph is walked. Immutable.</summary>
/// <remarks><see cref="Threshold"/>, <see cref="ListSize"/> and <see cref="SearchOptions.TargetRecall"/> each say when a search ends: one
/// of them at most may be given.</remarks>
public sealed record GraphSearch
{
    /// <summary>Most reads that a query may have in flight.</summary>
    internal const int MaxBeamWidth = 256;

    /// <summary>Longest list, and most results of a walk.</summary>
    internal const int MaxListSize = 65_536;

    /// <summary>Results that a page must promise to be read, above 0, up to 100. Less means higher recall and more reads. For an index
    /// that was calibrated.</summary>
    public float? Threshold { get; init; }

    /// <summary>L: the nearest candidates by compressed codes, all of which are visited; at least k, up to 65,536. More means higher
    /// recall and about as many more reads.</summary>
    public int? ListSize { get; init; }

    /// <summary>W: most reads of one query in flight at once, 1 to 256. Default: 4 with a list size; else 3 at first and twice as many
    /// each time, up to 16.</summary>
    public int? BeamWidth { get; init; }
}

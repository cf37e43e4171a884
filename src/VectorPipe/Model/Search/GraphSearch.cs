namespace VectorPipe;

/// <summary>How a graph is searched. Immutable.</summary>
/// <remarks>Set at most one of <see cref="Threshold"/>, <see cref="ListSize"/> and <see cref="SearchOptions.TargetRecall"/>.</remarks>
public sealed record GraphSearch
{
    /// <summary>Most reads that a query may have in flight.</summary>
    internal const int MaxBeamWidth = 256;

    /// <summary>Longest list, and most results of a walk.</summary>
    internal const int MaxListSize = 65_536;

    /// <summary>Expected results from a page for which it is read, above 0, at most 100; needs an index with a page graph.</summary>
    /// <remarks>A lower threshold means higher recall and more reads.</remarks>
    public float? Threshold { get; init; }

    /// <summary>L: candidates, nearest by code, that a search keeps and visits; at least k, at most 65,536.</summary>
    /// <remarks>A longer list means higher recall and more reads.</remarks>
    public int? ListSize { get; init; }

    /// <summary>W: most reads of one query in flight, 1 to 256. Default: 4 with a list size; else 3, doubling to 16.</summary>
    public int? BeamWidth { get; init; }
}

using VectorPipe.Diagnostics;

namespace VectorPipe.Searching;

/// <summary>How a query is searched. Immutable; one instance may serve any number of queries and threads.</summary>
public sealed record SearchOptions
{
    private const int DefaultListSize = 50;
    private const int MaxListSize = 65_536;

    /// <summary>Most reads that a query may have in flight.</summary>
    internal const int MaxBeamWidth = 256;

    /// <summary>The defaults.</summary>
    public static SearchOptions Default { get; } = new();

    /// <summary>
    /// L: how many candidates, ranked by compressed codes, are kept and visited; at least k. More means higher recall, and about as
    /// many more reads. 1 to 65,536. Default: 50, or k if that is more.
    /// </summary>
    public int? ListSize { get; init; }

    /// <summary>W: most reads of one query in flight at once, 1 to 256. Default: 4.</summary>
    public int BeamWidth { get; init; } = 4;

    /// <summary>How reads overlap computation. Default: pipelined.</summary>
    public SearchMode Mode { get; init; } = SearchMode.Pipelined;

    /// <summary>Receives the query's events; null (default) costs nothing. A trace serves one query at a time.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>The list size for a number of results.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    internal int Validate(int k, long count)
    {
        // Checked for every query: words are put together only for an error.
        int listSize = ListSize ?? Math.Max(DefaultListSize, k);
        if (k < 1 || k > count)
            throw Require.Violated(nameof(k), k, $"1 to {count}, the number of vectors in the index");
        if (listSize < k || listSize > MaxListSize)
            throw Require.Violated(nameof(ListSize), listSize, $"k ({k}) to {MaxListSize}");
        if (BeamWidth is < 1 or > MaxBeamWidth)
            throw Require.Violated(nameof(BeamWidth), BeamWidth, $"1 to {MaxBeamWidth}");
        if (Mode is not (SearchMode.Pipelined or SearchMode.Beam))
            throw Require.Violated(nameof(Mode), Mode, "Pipelined or Beam");
        return listSize;
    }
}

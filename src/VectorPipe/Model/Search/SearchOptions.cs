using VectorPipe.Model.Search;

namespace VectorPipe;

/// <summary>How a query is searched. Immutable; one instance may serve any number of queries and threads.</summary>
/// <remarks>
/// A program needs <see cref="TargetRecall"/> alone, or nothing. <see cref="Graph"/> and <see cref="Ivf"/> are for those who turn the
/// knobs themselves, each for its kind of index: on an index of the other
/// kind they are refused. An option that has no effect is refused, never ignored.
/// </remarks>
public sealed record SearchOptions
{
    /// <summary>The recall that a search aims at if no option says otherwise.</summary>
    public const float DefaultTargetRecall = 0.95f;

    /// <summary>The defaults.</summary>
    public static SearchOptions Default { get; } = new();

    /// <summary>Recall to aim at, 0.5 to 0.9999. Default: null, which means 0.95 unless a threshold, a list size or a number of probes is
    /// given.</summary>
    /// <remarks>
    /// <para>The index's calibration says which effort finds as much. A collection of a few thousand vectors is searched exactly. An
    /// index that was not calibrated is searched by a long list; a target above all
    /// that the calibration found is searched with the most effort that it knows. <see cref="SearchStatistics.RecallBasis"/> says which
    /// of them it was.</para>
    /// </remarks>
    public float? TargetRecall { get; init; }

    /// <summary>How reads overlap computation. Default: pipelined.</summary>
    public SearchMode Mode { get; init; } = SearchMode.Pipelined;

    /// <summary>How an index that is a graph is walked; null (default) leaves it to the index. With it even a small collection is walked,
    /// not searched exactly.</summary>
    public GraphSearch? Graph { get; init; }

    /// <summary>How an index of lists is scanned; null (default) leaves it to the index. With it even a small collection is scanned by
    /// lists, not searched exactly.</summary>
    public IvfSearch? Ivf { get; init; }

    /// <summary>Receives the query's events; null (default) costs nothing. A trace serves one query at a time.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>Seams for benchmarks, calibrations and tests; null for none.</summary>
    internal SearchTuning? Tuning { get; init; }
}

using VectorPipe.Model.Search;

namespace VectorPipe;

/// <summary>How a query is searched. Immutable; one instance may serve any number of queries and threads.</summary>
/// <remarks>
/// Most programs set <see cref="TargetRecall"/> or nothing. <see cref="Graph"/> and <see cref="Ivf"/> set the effort by hand, each for its
/// kind of index; an index of the other kind refuses them. An option without effect is refused, never ignored.
/// </remarks>
public sealed record SearchOptions
{
    /// <summary>The target recall of a search whose options set none: 0.95.</summary>
    public const float DefaultTargetRecall = 0.95f;

    /// <summary>The defaults.</summary>
    public static SearchOptions Default { get; } = new();

    /// <summary>Target recall, 0.5 to 0.9999. Default: null, 0.95 unless a threshold, list size or number of probes is set.</summary>
    /// <remarks>
    /// The index's calibration maps it to an effort; a target above the calibration gets the most effort of the calibration. A collection
    /// of a few thousand vectors is searched exactly, an index without calibration with a long list.
    /// <see cref="SearchStatistics.RecallBasis"/> tells which of these applied.
    /// </remarks>
    public float? TargetRecall { get; init; }

    /// <summary>How reads overlap computation. Default: pipelined.</summary>
    public SearchMode Mode { get; init; } = SearchMode.Pipelined;

    /// <summary>How a graph is searched; null (default) leaves it to the index.</summary>
    /// <remarks>If it is set, a small collection is searched by its graph, too, not exactly.</remarks>
    public GraphSearch? Graph { get; init; }

    /// <summary>How an IVF index is searched; null (default) leaves it to the index.</summary>
    /// <remarks>If it is set, a small collection is searched by its lists, too, not exactly.</remarks>
    public IvfSearch? Ivf { get; init; }

    /// <summary>Selects the vectors that may be hits; null (default) for all. A collection refuses it.</summary>
    /// <remarks>
    /// The hits are the nearest of those that match, at the same target recall. If fewer than k match, all of them are found, and
    /// <see cref="SearchStatistics.EndedBy"/> says so.
    /// </remarks>
    public KeyFilter? Keys { get; init; }

    /// <summary>The score of the farthest vector that may be a hit, itself included; null (default) for none.</summary>
    /// <remarks>
    /// <para>In the scale of the metric, see <see cref="DistanceMetric"/>: hits of L2 score at most this, hits of other metrics at
    /// least this. A finite number, 0 or more under L2.</para>
    /// <para>The search looks for all vectors within, at the target recall, and takes at most the k nearest of them. It reads as many
    /// pages as the hits that there are need, whatever k is. Fewer than k hits come with <see cref="SearchEnd.AllWithin"/>.</para>
    /// </remarks>
    public float? Within { get; init; }

    /// <summary>The most reads from the device, 1 or more; null (default) for no limit.</summary>
    /// <remarks>
    /// A search that wants more ends with what it has, and says <see cref="SearchEnd.MaxReads"/>. Pages from a cache do not count. Coded
    /// lists get half of the reads, the vectors of the best codes the rest. An exact search refuses it.
    /// </remarks>
    public int? MaxReads { get; init; }

    /// <summary>The longest time from the acceptance of the query to its answer, above 0; null (default) for no limit.</summary>
    /// <remarks>
    /// A search that is not done ends with what it has, perhaps nothing, and says <see cref="SearchEnd.Deadline"/>. It notices some 10 ms
    /// late at worst, if the device is slow. The time that the first search with a filter takes to find its matches comes before.
    /// </remarks>
    public TimeSpan? Deadline { get; init; }

    /// <summary>Receives the query's events; null (default) costs nothing. A trace serves one query at a time.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>Settings for benchmarks, calibrations and tests; null for none.</summary>
    internal SearchTuning? Tuning { get; init; }
}

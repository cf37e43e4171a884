using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.GraphPhases;

/// <summary>
/// Builds a graph of the quality of two-pass Vamana in a fraction of the time: partition, links within leaves, merge, refinement, merge,
/// repair.
/// </summary>
/// <remarks>
/// <para>Each phase is a function of the frozen result of the phase before: the same points, parameters and options give the same graph at
/// any number of threads, and in memory as well as paged. The inner product gets twice the long links, and a higher alpha after the leaf
/// phase.</para>
/// <para>Memory beside the points: one more copy of the vectors and two tables of links. Thread-safe.</para>
/// </remarks>
internal sealed class PartitionedBuilder(PartitionedOptions? options = null, BuildSpace? space = null) : IGraphBuilder
{
    private readonly PartitionedOptions _options = options ?? new PartitionedOptions();

    /// <summary>Threads that refine; null for as many as compute.</summary>
    public int? Refiners { get; init; }

    /// <summary>Bytes that tables may have in memory during a phase; null to keep the capacity of paged memory.</summary>
    public Func<Phase, long>? PagedBytes { get; init; }

    /// <summary>
    /// The phases of a graph, in order; earlier ones have to supply its vectors. Without refiners the plan chooses their number.
    /// </summary>
    public static IReadOnlyList<Phase> Phases(GraphSize size, GraphWork work, bool isPaged, int? refiners = null)
    {
        // In memory, the merge scans all links for those into a range.
        Phase[] Sorted() => isPaged ? [new InLinkPhase(size, work)] : [];
        return
        [
            new PartitionPhase(size, work),
            new LeafOrderPhase(size, work),
            new LeavesPhase(size, work),
            .. Sorted(),
            new MergePhase(size, work, isLast: false),
            new RefinePhase(size, work) { Refiners = refiners },
            .. Sorted(),
            new MergePhase(size, work, isLast: true),
            new RepairPhase(size, work),
            new ReachabilityPhase(size, work),
            new CheckPhase(size, work),
        ];
    }

    public BuiltGraph Build(
        PointTable points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress,
        CancellationToken cancellationToken)
    {
        using var work = new GraphWork(parameters, _options) { Points = points, Report = report };
        cancellationToken.ThrowIfCancellationRequested();
        var size = new GraphSize(new BuildSize(points.Metric, points.Type, points.Dimension, points.Count), parameters.MaxDegree, _options);
        var run = new BuildRun(parameters.Threads, space, progress, cancellationToken);
        foreach (WorkPhase phase in Phases(size, work, space is not null, Refiners ?? parameters.Threads).Cast<WorkPhase>())
        {
            if (PagedBytes is { } pagedBytes)
                space?.Enter(pagedBytes(phase));
            phase.Run(run);
        }

        return work.TakeGraph();
    }
}

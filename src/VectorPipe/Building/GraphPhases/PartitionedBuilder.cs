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
    /// <param name="size">The graph.</param>
    /// <param name="work">Its state.</param>
    /// <param name="isPaged">Whether tables are paged.</param>
    /// <param name="refiners">Threads that refine.</param>
    /// <param name="isKept">Whether an earlier build is taken up, and the results of long phases are kept for a later one.</param>
    public static IReadOnlyList<Phase> Phases(GraphSize size, GraphWork work, bool isPaged, int? refiners = null, bool isKept = false)
    {
        // In memory, the merge scans all links for those into a range.
        Phase[] Sorted(int stage) => isPaged ? [new InLinkPhase(size, work) { Stage = stage }] : [];
        Phase[] Kept(int stage) => isKept ? [new KeepPhase(size, work) { Stage = stage }] : [];
        return
        [
            new PartitionPhase(size, work),
            new LeafOrderPhase(size, work),
            .. isKept ? [new TakeUpPhase(size, work)] : Array.Empty<Phase>(),
            new LeavesPhase(size, work) { Stage = 1 },
            .. Sorted(stage: 1),
            new MergePhase(size, work, isLast: false) { Stage = 1 },
            .. Kept(stage: 1),
            new RefinePhase(size, work) { Refiners = refiners, Stage = 2 },
            .. Kept(stage: 2),
            .. Sorted(stage: 3),
            new MergePhase(size, work, isLast: true) { Stage = 3 },
            .. Kept(stage: 3),
            new RepairPhase(size, work) { Stage = GraphSnapshot.Last },
            new ReachabilityPhase(size, work) { Stage = GraphSnapshot.Last },
            new CheckPhase(size, work) { Stage = GraphSnapshot.Last },
            .. Kept(GraphSnapshot.Last),
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

using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.GraphPhases;

/// <summary>
/// Builds a graph of the quality of two-pass Vamana in a fraction of the time: points are divided into leaves of near neighbours, first
/// links are chosen from
/// the leaves around by blocked distance kernels, and then made two-way, refined by short local searches, made two-way again and repaired
/// by searching.
/// </summary>
/// <remarks>
/// <para>Every phase is a function of what the phase before left, frozen: the same points, parameters and options give the same graph at
/// any
/// number of threads, and in memory as well as paged. Lists are filled up with near points that pruning left out; the inner product gets
/// twice the
/// long links, and a higher alpha after the leaf phase; the list size is that of the searches that link in what is out of reach.</para>
/// <para>Memory beside the points: one more copy of the vectors and two tables of links. Thread-safe: holds no state but its
/// options.</para>
/// </remarks>
/// <param name="options">How to go about the work; null for the defaults.</param>
/// <param name="space">Where tables are paged; null to have them in memory.</param>
internal sealed class PartitionedBuilder(PartitionedOptions? options = null, BuildSpace? space = null) : IGraphBuilder
{
    private readonly PartitionedOptions _options = options ?? new PartitionedOptions();

    /// <summary>Threads that refine; null for as many as compute.</summary>
    public int? Refiners { get; init; }

    /// <summary>Bytes of pages that a phase may have in memory; null to leave the capacity of paged memory as it is.</summary>
    public Func<Phase, long>? PagedBytes { get; init; }

    /// <summary>The phases of a graph, in order.</summary>
    /// <param name="size">The graph.</param>
    /// <param name="work">What the phases hand on; its vectors come from phases before these.</param>
    /// <param name="isPaged">Whether tables are paged.</param>
    /// <param name="refiners">Threads that refine; null for those that memory has room for.</param>
    public static IReadOnlyList<Phase> Phases(GraphSize size, GraphWork work, bool isPaged, int? refiners = null)
    {
        // In memory links into a range are found by scanning all of them.
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

    /// <inheritdoc/>
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

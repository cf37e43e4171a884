using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.GraphPhases;

/// <summary>
/// Chooses the first links of each point: among its nearest points from the leaves around its own, and from ever thinner samples farther
/// out.
/// </summary>
/// <remarks>The candidates of a point are complete in one place, so nothing is merged and the order of work does not matter.</remarks>
internal sealed class LeavesPhase(GraphSize size, GraphWork work) : WorkPhase
{
    // The next copy of each point, and whether the point is a surplus copy.
    private const int CopyBytes = 5;

    public override string Name => "graph: leaves";

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 1) + (CopyBytes * size.Count), size.TableBytes(1, isPaged), size.SearchBytes(threads));

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 12, 14, threads);

    public override void Run(BuildRun run)
    {
        if (size.Options.KeptNearest > 0)
            work.Nearest = new NearestTable((int)size.Count, size.Options.KeptNearest, run.Paging);
        BuildContext context = work.RequireContext();
        LinkTable links = work.BeginLinks();
        LeafMap map = context.Map;
        CopyRings copies = FindCopies(context);
        var meter = new ProgressMeter(context.Progress, "leaves", context.Count);
        WorkQueue.Run(
            run.Threads,
            map.Count,
            () => new LeafWorker(context, copies, links),
            (worker, leaf) =>
            {
                worker.Run(leaf);
                meter.Advance(map.Size(leaf));
            },
            run.CancellationToken);
        meter.Complete();
        work.EndLinks();
    }

    private static CopyRings FindCopies(BuildContext context)
    {
        var copies = new CopyRings(context.Count);
        WorkQueue.Run(
            context.Parameters.Threads,
            context.Map.Count,
            context.Rent,
            (lease, leaf) =>
            {
                int first = context.Map.Offsets[leaf];
                lease.Begin();
                context.Table.Ask(lease, first, context.Map.Size(leaf));
                lease.Fetch();
                copies.Enter(context.Vectors, first, context.Map.Offsets[leaf + 1]);
            },
            context.CancellationToken);
        return copies;
    }
}

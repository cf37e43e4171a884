using VectorPipe.Building.Graphs;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// The first links: each point chooses among its nearest points out of the leaves around its own, and among thinner and thinner samples
/// farther
/// out. The candidates of a point are complete in one place, so nothing is merged and no order of work matters.
/// </summary>
internal static class LeafPhase
{
    /// <summary>Fills the links of all points.</summary>
    /// <param name="context">The build.</param>
    /// <param name="links">Receives them.</param>
    public static void Run(BuildContext context, LinkTable links)
    {
        CopyRings copies = FindCopies(context);
        var meter = new ProgressMeter(context.Progress, "leaves", context.Count);
        WorkQueue.Run(
            context.Parameters.Threads,
            context.Map.Count,
            () => new LeafWorker(context, context.Levels, copies, links),
            (worker, leaf) =>
            {
                worker.Run(leaf);
                meter.Advance(context.Map.Size(leaf));
            },
            context.CancellationToken);
        meter.Complete();
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

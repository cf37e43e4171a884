using VectorPipe.Building.Graphs;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Looks for better links around each point: a short search from its own links on, then a choice among all it met and had.
/// </summary>
internal static class Refiner
{
    /// <summary>Refines all points.</summary>
    /// <param name="context">The build.</param>
    /// <param name="frozen">Links as they are; not changed.</param>
    /// <param name="refined">Receives the new links, with room filled as <see cref="PartitionedOptions.Fill"/> says.</param>
    /// <param name="nearest">Receives the nearest points of each that the searches met; may be null.</param>
    /// <param name="threads">Threads: more than there are processors where they wait for what is paged.</param>
    public static void Run(BuildContext context, LinkTable frozen, LinkTable refined, NearestTable? nearest, int threads)
    {
        var meter = new ProgressMeter(context.Progress, "refine", context.Count);
        WorkQueue.Run(
            threads,
            context.Map.Count,
            () => new RefineWorker(context, frozen, refined, nearest),
            (worker, leaf) =>
            {
                worker.Run(leaf);
                meter.Advance(context.Map.Size(leaf));
            },
            context.CancellationToken);
        meter.Complete();
    }
}

using VectorPipe.Building.Graphs;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Partitioned;

/// <summary>Adds to each point's links those of the points that link to it, and prunes what has become too long.</summary>
/// <remarks>
/// Works on one range of targets at a time: a worker collects the links into the range, sorts them by target and is done with all
/// targets of the range, so that what is in memory beside the two tables is the in-links of a range.
/// </remarks>
internal static class ReverseMerge
{
    private const int MaxRangeRows = 1 << 16;
    private const int MinRangeRows = 1 << 10;
    private const int MinRanges = 16;

    /// <summary>Targets of a range.</summary>
    /// <param name="count">Points.</param>
    /// <param name="isPaged">Whether links are paged, and shuffled by range beforehand.</param>
    public static int RangeRowsOf(long count, bool isPaged) =>
        isPaged ? ShuffledInLinks.RangeRows : (int)Math.Clamp(count / MinRanges, MinRangeRows, MaxRangeRows);

    /// <summary>Runs the merge.</summary>
    /// <param name="context">The build.</param>
    /// <param name="inLinks">The links by the range of their targets; null to find them by scanning.</param>
    /// <param name="frozen">Links as they are; not changed.</param>
    /// <param name="merged">Receives the new links.</param>
    /// <param name="alpha">Occlusion factor of the prunings.</param>
    /// <param name="fill">How far out pruned lists are filled up, see <see cref="PanelPruner.Prune"/>.</param>
    public static void Run(BuildContext context, SortedInLinks? inLinks, LinkTable frozen, LinkTable merged, float alpha, float fill) =>
        Run(
            context,
            RangeRowsOf(frozen.Count, inLinks is not null),
            () => new MergeWorker(context, frozen, inLinks?.Open() ?? new ScannedInLinks(frozen), merged, alpha, fill));

    private static void Run(BuildContext context, int rangeRows, Func<MergeWorker> createWorker)
    {
        int count = context.Count;
        var meter = new ProgressMeter(context.Progress, "merge", count);
        WorkQueue.Run(
            context.Parameters.Threads,
            (count - 1) / rangeRows + 1,
            createWorker,
            (worker, range) => worker.Run(range * rangeRows, Math.Min(rangeRows, count - range * rangeRows), meter),
            context.CancellationToken);
        meter.Complete();
    }
}

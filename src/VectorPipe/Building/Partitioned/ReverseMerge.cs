namespace VectorPipe.Building.Partitioned;

/// <summary>Adds to each point's links those of the points that link to it, and prunes what has become too long.</summary>
/// <remarks>
/// Works on one shard of targets at a time: a worker collects the links into a range of positions, sorts them by target and is done with all
/// targets of the range, so that what is in memory beside the two tables is the in-links of a shard.
/// </remarks>
internal static class ReverseMerge
{
    private const int MaxShardRows = 1 << 16;
    private const int MinShardRows = 1 << 10;
    private const int MinShards = 16;

    /// <summary>Runs the merge.</summary>
    /// <param name="context">The build.</param>
    /// <param name="frozen">Links as they are; not changed.</param>
    /// <param name="merged">Receives the new links.</param>
    /// <param name="alpha">Occlusion factor of the prunings.</param>
    /// <param name="fill">Whether pruned lists are filled up with the nearest candidates left over.</param>
    public static void Run(BuildContext context, LinkTable frozen, LinkTable merged, float alpha, bool fill)
    {
        int count = frozen.Count;
        int shardRows = Math.Clamp(count / MinShards, MinShardRows, MaxShardRows);
        var meter = new ProgressMeter(context.Progress, "merge", count);
        WorkQueue.Run(
            context.Parameters.Threads,
            (count - 1) / shardRows + 1,
            () => new MergeWorker(context, frozen, merged, alpha, fill),
            (worker, shard) => worker.Run(shard * shardRows, Math.Min(shardRows, count - shard * shardRows), meter),
            context.CancellationToken);
        meter.Complete();
    }
}

namespace VectorPipe.Building.Work;

/// <summary>
/// Hands out numbered items to worker threads, lowest first. Each item's result may depend on the item alone, never on the worker or on
/// other items.
/// </summary>
internal static class WorkQueue
{
    /// <summary>Runs <paramref name="body"/> once for each item 0 .. items-1; when one fails, no further ones are begun.</summary>
    /// <param name="threads">Worker threads, at least 1.</param>
    /// <param name="items">How many items.</param>
    /// <param name="createScratch">Makes a worker's scratch; disposed when the worker ends.</param>
    /// <param name="body">Does one item.</param>
    /// <param name="cancellationToken">Observed before each item.</param>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static void Run<TScratch>(
        int threads, int items, Func<TScratch> createScratch, Action<TScratch, int> body, CancellationToken cancellationToken)
        where TScratch : IDisposable
    {
        Workers.Run(
            Math.Max(1, Math.Min(threads, items)),
            items,
            (_, shared) =>
            {
                using TScratch scratch = createScratch();
                while (shared.TryTake(out int item))
                    body(scratch, item);
            },
            cancellationToken);
    }
}

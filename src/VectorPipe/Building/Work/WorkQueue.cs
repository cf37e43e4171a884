namespace VectorPipe.Building.Work;

/// <summary>Hands out numbered items to worker threads, lowest first.</summary>
/// <remarks>The result of an item may depend on the item alone, never on the worker or on other items.</remarks>
internal static class WorkQueue
{
    /// <summary>
    /// Runs <paramref name="body"/> once for each item 0 .. items - 1, with scratch that lives as long as its worker; a failure stops the
    /// others.
    /// </summary>
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

namespace VectorPipe.Building.Work;

/// <summary>Runs the same body on several threads until all are done.</summary>
internal static class Workers
{
    /// <summary>
    /// Runs <paramref name="body"/> once for each worker 0 .. threads-1; on the calling thread alone when there is one. When one fails,
    /// there are no more items for the others.
    /// </summary>
    /// <param name="threads">How many workers, at least 1.</param>
    /// <param name="items">Items that they share.</param>
    /// <param name="body">Takes the number of the worker, and what it takes items from.</param>
    /// <param name="cancellationToken">Observed before each item.</param>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static void Run(int threads, int items, Action<int, WorkItems> body, CancellationToken cancellationToken)
    {
        var shared = new WorkItems(items, cancellationToken);
        if (threads == 1)
        {
            body(0, shared);
            return;
        }

        var options = new ParallelOptions { MaxDegreeOfParallelism = threads, CancellationToken = cancellationToken };
        Parallel.For(0, threads, options, worker =>
        {
            try
            {
                body(worker, shared);
            }
            catch
            {
                // A loop that runs in parallel waits for the bodies that have begun, and each of them goes through all the items that are
                // left.
                shared.Close();
                throw;
            }
        });
    }
}

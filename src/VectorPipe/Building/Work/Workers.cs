using VectorPipe.Numerics;

namespace VectorPipe.Building.Work;

/// <summary>Runs the same body on several threads until all are done.</summary>
internal static class Workers
{
    /// <summary>
    /// Runs <paramref name="body"/> once for each worker 0 .. threads - 1, on the calling thread if there is one; a failure stops the
    /// others.
    /// </summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static void Run(int threads, int items, Action<int, WorkItems> body, CancellationToken cancellationToken)
    {
        var shared = new WorkItems(items, cancellationToken);
        if (threads == 1)
        {
            body(0, shared);
            return;
        }

        ParallelOptions options = ParallelLoops.Options(threads, cancellationToken);
        Parallel.For(0, threads, options, worker =>
        {
            try
            {
                body(worker, shared);
            }
            catch
            {
                // The loop waits for all running bodies, which would otherwise go through all items that are left.
                shared.Close();
                throw;
            }
        });
    }
}

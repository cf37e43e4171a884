namespace VectorPipe.Building;

/// <summary>Runs the same body on several threads until all are done.</summary>
internal static class Workers
{
    /// <summary>Runs <paramref name="body"/> once for each worker 0 .. threads-1; on the calling thread alone when there is one.</summary>
    /// <exception cref="OperationCanceledException">A body observed <paramref name="cancellationToken"/>.</exception>
    public static void Run(int threads, Action<int> body, CancellationToken cancellationToken)
    {
        if (threads == 1)
        {
            body(0);
            return;
        }

        var options = new ParallelOptions { MaxDegreeOfParallelism = threads, CancellationToken = cancellationToken };
        Parallel.For(0, threads, options, body);
    }
}

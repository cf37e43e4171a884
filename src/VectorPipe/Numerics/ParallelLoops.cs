namespace VectorPipe.Numerics;

/// <summary>How parallel loops run.</summary>
internal static class ParallelLoops
{
    /// <summary>Options of a loop that runs on the scheduler of the task that starts it, as one of lower priority, and not always on the
    /// pool.</summary>
    /// <param name="threads">Most threads.</param>
    /// <param name="cancellationToken">Cancels the loop.</param>
    public static ParallelOptions Options(int threads, CancellationToken cancellationToken) =>
        new() { MaxDegreeOfParallelism = threads, CancellationToken = cancellationToken, TaskScheduler = null };
}

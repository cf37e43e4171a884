namespace VectorPipe.Searching.Serving;

/// <summary>How the run threads of an index serve.</summary>
internal sealed record SearchWorkersOptions
{
    /// <summary>Run threads.</summary>
    public int Threads { get; init; } = 1;

    /// <summary>Queries that a run thread has in flight at once.</summary>
    public int QueriesInFlight { get; init; } = 16;

    /// <summary>Requests that may wait, over all run threads.</summary>
    public int MaxQueued { get; init; } = 4096;

    /// <summary>Measures the time between two attempts to open a device queue, in milliseconds.</summary>
    public Func<long> NowMs { get; init; } = static () => Environment.TickCount64;

    /// <summary>Starts a thread: the seam at which tests let that fail.</summary>
    public Action<Thread> StartThread { get; init; } = static thread => thread.Start();
}

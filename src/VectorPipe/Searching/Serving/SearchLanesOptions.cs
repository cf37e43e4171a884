namespace VectorPipe.Searching.Serving;

/// <summary>How an index is served.</summary>
internal sealed record SearchLanesOptions
{
    /// <summary>Run threads, unless it shares those of an engine.</summary>
    public int Threads { get; init; } = 1;

    public int QueriesInFlight { get; init; } = 16;

    /// <summary>Most requests of the index that wait, over all run threads.</summary>
    public int MaxQueued { get; init; } = 4096;

    /// <summary>The clock of the back-off, in milliseconds.</summary>
    public Func<long> NowMs { get; init; } = static () => Environment.TickCount64;

    /// <summary>Starts a thread. Tests let it fail.</summary>
    public Action<Thread> StartThread { get; init; } = static thread => thread.Start();
}

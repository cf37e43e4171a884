namespace VectorPipe.Searching.Serving;

/// <summary>Run threads that serve one index, or share all indexes of an engine. They start with the first request.</summary>
/// <remarks>Those of a tenant are the threads of its engine, with a bound of its own and turns in common. Thread-safe.</remarks>
internal sealed class RunThreads : IDisposable
{
    private readonly Lock _lock = new();
    private readonly RunThreads? _engine;
    private readonly int _count;
    private readonly Action<Thread>? _start;
    private RunThread[]? _threads;
    private TenantLanes[]? _lanes;

    /// <param name="count">Threads.</param>
    /// <param name="maxQueued">Most requests that wait, over all indexes.</param>
    /// <param name="start">Starts a thread. Tests let it fail.</param>
    public RunThreads(int count, int maxQueued, Action<Thread> start)
    {
        Waiting = new QueueBound(maxQueued, nameof(VectorPipeEngineOptions));
        _count = count;
        _start = start;
    }

    /// <param name="engine">The threads, which serve others, too.</param>
    /// <param name="maxQueued">Most requests of the tenant that wait, over its indexes.</param>
    /// <param name="name">Name of the tenant, for errors; null for none.</param>
    public RunThreads(RunThreads engine, int maxQueued, string? name)
    {
        Waiting = new QueueBound(maxQueued, nameof(VectorPipeTenantOptions), engine.Waiting, name);
        _engine = engine;
    }

    /// <summary>Bounds the requests that wait, of all indexes.</summary>
    public QueueBound Waiting { get; }

    /// <summary>What an index has turns with on each thread; the first call starts the threads.</summary>
    /// <returns>Of a tenant, the same ones for all its indexes.</returns>
    public TenantLanes[] Start()
    {
        lock (_lock)
        {
            if (_engine is not null)
                return _lanes ??= _engine.Start();
            return [.. (_threads ??= StartThreads()).Select(static thread => new TenantLanes(thread))];
        }
    }

    /// <summary>Ends the threads, unless they are those of an engine. No index uses them any more.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            foreach (RunThread thread in _threads ?? [])
                thread.Dispose();
            _threads = null;
        }
    }

    private RunThread[] StartThreads()
    {
        var threads = new List<RunThread>(_count);
        try
        {
            while (threads.Count < _count)
                threads.Add(new RunThread(threads.Count, _start!));
        }
        catch
        {
            // A later request tries again, so end the threads that have started.
            foreach (RunThread thread in threads)
                thread.Dispose();
            throw;
        }

        return [.. threads];
    }
}

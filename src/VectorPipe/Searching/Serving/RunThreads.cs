namespace VectorPipe.Searching.Serving;

/// <summary>Run threads that serve one index, or share all indexes of an engine. They start with the first request.</summary>
/// <remarks>Thread-safe.</remarks>
/// <param name="count">Threads.</param>
/// <param name="maxQueued">Most requests that wait, over all indexes.</param>
/// <param name="start">Starts a thread. Tests let it fail.</param>
internal sealed class RunThreads(int count, int maxQueued, Action<Thread> start) : IDisposable
{
    private readonly Lock _lock = new();
    private readonly QueueBound _waiting = new(maxQueued);
    private RunThread[]? _threads;

    /// <summary>Requests that wait for room, of all indexes.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>Counts a request that is about to wait.</summary>
    /// <exception cref="SearchOverloadedException">Too many wait; nothing was counted.</exception>
    public void Admit()
    {
        if (!_waiting.TryEnter())
            throw new SearchOverloadedException(_waiting.Most, _waiting.Count, nameof(VectorPipeEngineOptions));
    }

    /// <summary>Notes that a request waits no more.</summary>
    public void Leave() => _waiting.Leave();

    /// <summary>The threads; starts them with the first call.</summary>
    public RunThread[] Start()
    {
        lock (_lock)
        {
            if (_threads is not null)
                return _threads;
            var threads = new List<RunThread>(count);
            try
            {
                while (threads.Count < count)
                    threads.Add(new RunThread(threads.Count, start));
            }
            catch
            {
                // A later request tries again, so end the threads that have started.
                foreach (RunThread thread in threads)
                    thread.Dispose();
                throw;
            }

            return _threads = [.. threads];
        }
    }

    /// <summary>Ends the threads. No index uses them any more.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            foreach (RunThread thread in _threads ?? [])
                thread.Dispose();
            _threads = null;
        }
    }
}

namespace VectorPipe.Devices.Portable;

/// <summary>A bounded number of dedicated threads that do blocking reads, oldest first.</summary>
/// <remarks>
/// Thread-safe. The thread pool would not do: a pool full of blocked callers could not serve the reads that they wait for. A queue reserves
/// room for its reads when it opens, so a read allocates nothing.
/// </remarks>
internal sealed class BlockingReaders
{
    private static readonly TimeSpan _joinBound = TimeSpan.FromSeconds(10);

    private readonly DeviceFiles _files;
    private readonly int _maxThreads;
    private readonly Action<Thread> _start;
    private readonly object _gate = new();
    private readonly List<Thread> _threads = [];
    private readonly Queue<Work> _waiting = [];
    private int _reserved;
    private int _idle;
    private bool _isStopping;

    /// <param name="files">The files to read.</param>
    /// <param name="maxThreads">The most threads, and so the most reads with the operating system at once.</param>
    /// <param name="start">Starts a thread; null for <see cref="Thread.Start()"/>.</param>
    public BlockingReaders(DeviceFiles files, int maxThreads, Action<Thread>? start = null)
    {
        _start = start ?? (static thread => thread.Start());
        _files = files;
        _maxThreads = maxThreads;
    }

    /// <summary>Reserves room for the reads of a queue, and starts threads for them.</summary>
    /// <exception cref="OutOfMemoryException">No thread could be started; if some could, they serve all reads.</exception>
    public void Reserve(int capacity)
    {
        lock (_gate)
        {
            _waiting.EnsureCapacity(_reserved + capacity);
            while (_threads.Count < Math.Min(_reserved + capacity, _maxThreads))
            {
                Thread thread = new(Run, maxStackSize: 256 * 1024) { IsBackground = true, Name = $"vectorpipe reader {_threads.Count}" };
                try
                {
                    _start(thread);
                }
                catch (Exception e) when (e is OutOfMemoryException or ThreadStartException && _threads.Count > 0)
                {
                    // The limit of threads is reached: the running ones serve all reads.
                    break;
                }

                // Counted only when it runs, so that disposal does not wait for a thread that never started.
                _threads.Add(thread);
            }

            _reserved += capacity;
        }
    }

    /// <summary>Releases the room of a queue.</summary>
    public void Release(int capacity)
    {
        lock (_gate)
            _reserved -= capacity;
    }

    /// <summary>Takes over the reads of a queue and empties it.</summary>
    public void Start(Queue<DeviceRead> reads, CompletionRing finished)
    {
        lock (_gate)
        {
            int wakes = Math.Min(_idle, reads.Count);
            while (reads.TryDequeue(out DeviceRead? read))
                _waiting.Enqueue(new Work(read, finished));
            for (int i = 0; i < wakes; i++)
                Monitor.Pulse(_gate);
        }
    }

    /// <summary>Ends the threads after the waiting reads.</summary>
    /// <returns>False if a thread did not end within the bound.</returns>
    public bool Stop()
    {
        lock (_gate)
        {
            _isStopping = true;
            Monitor.PulseAll(_gate);
        }

        bool areEnded = true;
        foreach (Thread thread in _threads)
            areEnded &= thread.Join(_joinBound);
        return areEnded;
    }

    private void Run()
    {
        while (TryTake(out Work work))
        {
            work.Read.Result = BlockingRead.Read(_files[work.Read.File].Handle, work.Read);
            work.Finished.Push(work.Read);
        }
    }

    private bool TryTake(out Work work)
    {
        lock (_gate)
        {
            while (!_waiting.TryDequeue(out work))
            {
                if (_isStopping)
                    return false;
                _idle++;
                Monitor.Wait(_gate);
                _idle--;
            }

            return true;
        }
    }

    private readonly record struct Work(DeviceRead Read, CompletionRing Finished);
}

namespace VectorPipe.Devices.Portable;

/// <summary>A bounded number of own threads that do blocking reads, oldest first.</summary>
/// <remarks>
/// Thread-safe. Never the thread pool: a pool full of blocked callers could not serve the reads that they wait for. Room for waiting
/// reads is taken when a queue opens, so nothing is allocated for a read.
/// </remarks>
internal sealed class BlockingReaders
{
    private static readonly TimeSpan _joinBound = TimeSpan.FromSeconds(10);

    private readonly DeviceFiles _files;
    private readonly int _maxThreads;
    private readonly Action<Thread> _start;
    private readonly object _gate = new();
    private readonly List<Thread> _threads = [];
    private Work[] _waiting = [];
    private int _first;
    private int _count;
    private int _reserved;
    private int _idle;
    private bool _isStopping;

    /// <param name="files">What is read.</param>
    /// <param name="maxThreads">Most threads, and so most reads with the operating system at once.</param>
    /// <param name="start">Starts a thread; null: as the framework does.</param>
    public BlockingReaders(DeviceFiles files, int maxThreads, Action<Thread>? start = null)
    {
        _start = start ?? (static thread => thread.Start());
        _files = files;
        _maxThreads = maxThreads;
    }

    /// <summary>Makes room for the reads of a queue, and starts threads for them.</summary>
    /// <exception cref="OutOfMemoryException">No thread could be started; with some of them, reads are served by those.</exception>
    public void Reserve(int capacity)
    {
        lock (_gate)
        {
            if (_reserved + capacity > _waiting.Length)
                Grow(_reserved + capacity);
            while (_threads.Count < Math.Min(_reserved + capacity, _maxThreads))
            {
                Thread thread = new(Run, maxStackSize: 256 * 1024) { IsBackground = true, Name = $"vectorpipe reader {_threads.Count}" };
                try
                {
                    _start(thread);
                }
                catch (Exception e) when (e is OutOfMemoryException or ThreadStartException && _threads.Count > 0)
                {
                    // The limit of threads is reached: those that run serve all.
                    break;
                }

                // Counted only once it runs: others are not waited for.
                _threads.Add(thread);
            }

            _reserved += capacity;
        }
    }

    /// <summary>Gives the room of a queue back.</summary>
    public void Release(int capacity)
    {
        lock (_gate)
            _reserved -= capacity;
    }

    /// <summary>Hands reads over; empties the row.</summary>
    public void Start(ReadFifo reads, CompletionRing finished)
    {
        lock (_gate)
        {
            int wakes = Math.Min(_idle, reads.Count);
            while (reads.TryPop(out DeviceRead? read))
                _waiting[(_first + _count++) % _waiting.Length] = new Work(read, finished);
            for (int i = 0; i < wakes; i++)
                Monitor.Pulse(_gate);
        }
    }

    /// <summary>Ends the threads after what waits was read.</summary>
    /// <returns>False if one did not end within the bound.</returns>
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
            while (_count == 0)
            {
                if (_isStopping)
                {
                    work = default;
                    return false;
                }

                _idle++;
                Monitor.Wait(_gate);
                _idle--;
            }

            work = _waiting[_first];
            _waiting[_first] = default;
            _first = (_first + 1) % _waiting.Length;
            _count--;
            return true;
        }
    }

    private void Grow(int room)
    {
        Work[] larger = new Work[room];
        for (int i = 0; i < _count; i++)
            larger[i] = _waiting[(_first + i) % _waiting.Length];
        _waiting = larger;
        _first = 0;
    }

    private readonly record struct Work(DeviceRead Read, CompletionRing Finished);
}

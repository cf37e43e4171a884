using System.Diagnostics;

namespace VectorPipe.Devices.Portable;

/// <summary>A bounded number of dedicated threads that do blocking reads, oldest first.</summary>
/// <remarks>
/// Thread-safe. The thread pool would not do: a pool full of blocked callers could not serve the reads that they wait for. A queue reserves
/// room for its reads when it opens, so a read allocates nothing, but for the threads: each starts for the first read that finds no other,
/// and ends when no open queue needs it. With threads that stay, a process that has searched 1,000 indexes keeps 4,000 of them.
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

    // Threads that the operating system allows, as far as is known since a queue was opened.
    private int _allowed = int.MaxValue;

    // Threads that wait for reads, and those that were woken or started and have not looked for one yet.
    private int _idle;
    private int _coming;
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

    /// <summary>Threads that run, or are about to.</summary>
    public int Threads
    {
        get
        {
            lock (_gate)
                return _threads.Count;
        }
    }

    private int ThreadLimit => Math.Min(Math.Min(_reserved, _maxThreads), _allowed);

    /// <summary>Reserves room for the reads of a queue, and makes sure that there is a thread for them.</summary>
    /// <exception cref="OutOfMemoryException">No thread could be started.</exception>
    public void Reserve(int capacity)
    {
        lock (_gate)
        {
            _waiting.EnsureCapacity(_reserved + capacity);
            _allowed = int.MaxValue;
            if (_threads.Count == 0)
                StartThread();
            _reserved += capacity;
        }
    }

    /// <summary>Releases the room of a queue. Threads that no other queue needs end.</summary>
    public void Release(int capacity)
    {
        lock (_gate)
        {
            _reserved -= capacity;
            if (_threads.Count > ThreadLimit)
                WakeAll();
        }
    }

    /// <summary>Takes over the reads of a queue and empties it.</summary>
    public void Start(Queue<DeviceRead> reads, CompletionRing finished)
    {
        lock (_gate)
        {
            while (reads.TryDequeue(out DeviceRead? read))
                _waiting.Enqueue(new Work(read, finished));
            int missing = _waiting.Count - _coming;
            for (; missing > 0 && _idle > 0; missing--)
            {
                _idle--;
                _coming++;
                Monitor.Pulse(_gate);
            }

            Grow();
            AssertInvariants();
        }
    }

    /// <summary>Ends the threads after the waiting reads.</summary>
    /// <returns>False if a thread did not end within the bound.</returns>
    public bool Stop()
    {
        Thread[] threads;
        lock (_gate)
        {
            _isStopping = true;
            WakeAll();
            threads = [.. _threads];
        }

        bool areEnded = true;
        foreach (Thread thread in threads)
            areEnded &= thread.Join(_joinBound);
        return areEnded;
    }

    private void WakeAll()
    {
        _coming += _idle;
        _idle = 0;
        Monitor.PulseAll(_gate);
    }

    /// <summary>Starts a thread if a read waits that no other will take soon.</summary>
    /// <remarks>Only one: it starts the next one as it takes its first read. On a busy machine 32 starts took 0.3 s, in which no read
    /// began.</remarks>
    private void Grow()
    {
        if (_waiting.Count <= _coming || _idle > 0 || _threads.Count >= ThreadLimit)
            return;
        try
        {
            StartThread();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            // The limit of threads is reached: the running ones serve all reads.
            _allowed = _threads.Count;
        }
    }

    // Counted only when it runs, so that disposal does not wait for a thread that never started.
    private void StartThread()
    {
        Thread thread = new(Run, maxStackSize: 256 * 1024) { IsBackground = true, Name = $"vectorpipe reader {_threads.Count}" };
        _start(thread);
        _threads.Add(thread);
        _coming++;
    }

    private void Run()
    {
        for (bool isNew = true; TryTake(isNew, out Work work); isNew = false)
        {
            work.Read.Result = BlockingRead.Read(_files[work.Read.File].Handle, work.Read);
            work.Finished.Push(work.Read);
        }
    }

    private bool TryTake(bool isNew, out Work work)
    {
        lock (_gate)
        {
            if (isNew)
                _coming--;
            while (!_waiting.TryDequeue(out work))
            {
                if (_isStopping || _threads.Count > ThreadLimit)
                {
                    _threads.Remove(Thread.CurrentThread);
                    return false;
                }

                _idle++;
                Monitor.Wait(_gate);
                _coming--;
            }

            Grow();
            return true;
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_idle >= 0 && _coming >= 0 && _idle + _coming <= _threads.Count, "each thread waits, comes, or reads");
        Debug.Assert(_waiting.Count <= _coming || _idle == 0, "no read waits beside an idle thread");
    }

    private readonly record struct Work(DeviceRead Read, CompletionRing Finished);
}

using System.Diagnostics;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Portable;

/// <summary>Does blocking reads, oldest first, on a bounded number of threads that come while reads wait.</summary>
/// <remarks>
/// Thread-safe. The thread pool would not do: a pool full of blocked callers could not serve the reads that they wait for. A thread leaves
/// for <see cref="ReaderThreads"/> when no read waits, where the next device finds it: a process that searches 1,000 collections one after
/// another has as many threads as read at once. A queue reserves room for its reads when it opens, so a read allocates nothing.
/// </remarks>
internal sealed class BlockingReaders
{
    private static readonly TimeSpan _leaveBound = TimeSpan.FromSeconds(10);

    private readonly DeviceFiles _files;
    private readonly int _maxThreads;
    private readonly Func<Action, bool, bool> _run;
    private readonly Action _serve;
    private readonly object _gate = new();
    private readonly Queue<Work> _waiting = [];
    private int _reserved;
    private int _threads;
    private int _coming;
    private bool _isStopping;

    /// <param name="files">The files to read.</param>
    /// <param name="maxThreads">The most threads, and so the most reads with the operating system at once.</param>
    /// <param name="run">Runs work on a thread of its own, as <see cref="ReaderThreads.TryRun"/> does; null for that.</param>
    public BlockingReaders(DeviceFiles files, int maxThreads, Func<Action, bool, bool>? run = null)
    {
        _files = files;
        _maxThreads = maxThreads;
        _run = run ?? ReaderThreads.TryRun;
        _serve = Serve;
    }

    /// <summary>Threads that serve this device.</summary>
    public int Threads
    {
        get
        {
            lock (_gate)
                return _threads;
        }
    }

    /// <summary>Reserves room for the reads of a queue.</summary>
    public void Reserve(int capacity)
    {
        lock (_gate)
        {
            _waiting.EnsureCapacity(_reserved + capacity);
            _reserved += capacity;
        }
    }

    /// <summary>Releases the room of a queue.</summary>
    public void Release(int capacity)
    {
        lock (_gate)
        {
            _reserved -= capacity;
            AssertInvariants();
        }
    }

    /// <summary>Takes over the reads of a queue and empties it. Reads that no thread can serve fail with EAGAIN.</summary>
    public void Start(Queue<DeviceRead> reads, CompletionRing finished)
    {
        lock (_gate)
        {
            while (reads.TryDequeue(out DeviceRead? read))
                _waiting.Enqueue(new Work(read, finished));
            while (_coming < _waiting.Count && TryAdd(mayStart: false))
            {
            }

            // A new thread starts the next one if reads still wait then: reads that are soon done need no more of them.
            if (_coming == 0)
                TryAdd(mayStart: true);
            if (_threads == 0)
                Refuse();
        }
    }

    /// <summary>Waits for the threads, which leave after the waiting reads.</summary>
    /// <returns>False if a thread did not leave within the bound.</returns>
    public bool Stop()
    {
        long began = Stopwatch.GetTimestamp();
        lock (_gate)
        {
            _isStopping = true;
            while (_threads > 0)
            {
                TimeSpan left = _leaveBound - Stopwatch.GetElapsedTime(began);
                if (left <= TimeSpan.Zero || !Monitor.Wait(_gate, left))
                    return _threads == 0;
            }

            return true;
        }
    }

    private void Serve()
    {
        for (bool isComing = true; TryTake(isComing, out Work work); isComing = false)
        {
            work.Read.Result = BlockingRead.Read(_files[work.Read.File].Handle, work.Read);
            work.Finished.Push(work.Read);
        }
    }

    private bool TryTake(bool isComing, out Work work)
    {
        lock (_gate)
        {
            if (isComing)
                _coming--;
            AssertInvariants();
            if (_waiting.TryDequeue(out work))
            {
                if (_coming < _waiting.Count)
                    TryAdd(mayStart: true);
                return true;
            }

            _threads--;
            if (_isStopping)
                Monitor.PulseAll(_gate);
            return false;
        }
    }

    /// <summary>Adds a thread that rests, or else a new one, unless there are enough or the system refuses one.</summary>
    private bool TryAdd(bool mayStart)
    {
        try
        {
            if (_threads >= _maxThreads || !_run(_serve, mayStart))
                return false;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            // The limit of threads is reached: the running ones serve all reads.
            return false;
        }

        // Counted only when it runs, so that disposal does not wait for a thread that never started.
        _threads++;
        _coming++;
        return true;
    }

    /// <summary>Hands waiting reads back with the error of a thread that cannot start (pthread_create(3)).</summary>
    private void Refuse()
    {
        while (_waiting.TryDequeue(out Work work))
        {
            work.Read.Result = -Errno.EAGAIN;
            work.Finished.Push(work.Read);
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Monitor.IsEntered(_gate), "the counts belong to the holder of the lock");
        Debug.Assert(_threads <= _maxThreads, "no more threads serve than may");
        Debug.Assert(_coming >= 0 && _coming <= _threads, "a thread that comes is counted");
        Debug.Assert(_reserved >= 0 && _waiting.Count <= _reserved, "the reads that wait have reserved room");
        Debug.Assert(_waiting.Count == 0 || _threads > 0, "a thread serves while reads wait");
    }

    private readonly record struct Work(DeviceRead Read, CompletionRing Finished);
}

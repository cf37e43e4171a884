using System.Diagnostics;

namespace VectorPipe.Devices.Portable;

/// <summary>A bounded number of dedicated threads that do blocking reads, oldest first.</summary>
/// <remarks>
/// <para>Thread-safe. The thread pool would not do: a pool full of blocked callers could not serve the reads that they wait for. A queue
/// reserves room for its reads when it opens, so a read allocates nothing.</para>
/// <para>One thread is there from the first queue on; a further one comes when a read has waited too long, and later queues find as many
/// as were needed before. So a small index, whose reads end at once, has one, and a large one on a disk has them all within its first
/// milliseconds. Threads that no open queue needs leave.</para>
/// </remarks>
internal sealed class BlockingReaders
{
    private static readonly TimeSpan _leaveBound = TimeSpan.FromSeconds(10);

    // A thread does some ten reads from memory in this time, and one from a fast disk. With 0.5 ms, searches one at a time on two threads
    // were 7 % fewer (SIFT 1M, the pages on a disk).
    private static readonly TimeSpan _longestWait = TimeSpan.FromMicroseconds(100);

    private readonly DeviceFiles _files;
    private readonly TimeProvider _clock;
    private readonly int _maxThreads;
    private readonly Action<Action> _run;
    private readonly object _gate = new();
    private readonly Queue<Work> _waiting = [];
    private int _reserved;

    // Threads that reads have needed so far.
    private int _wanted = 1;

    // A further thread is on its way, or could not start. One at a time: with it, reads may wait no longer.
    private bool _isStarting;
    private int _threads;
    private int _idle;
    private bool _isStopping;

    /// <param name="files">The files to read.</param>
    /// <param name="maxThreads">The most threads, and so the most reads with the operating system at once.</param>
    /// <param name="run">Runs work on a thread of its own; null for <see cref="ReaderThreads.Run"/>.</param>
    /// <param name="clock">For how long reads wait; null for the system's.</param>
    public BlockingReaders(DeviceFiles files, int maxThreads, Action<Action>? run = null, TimeProvider? clock = null)
    {
        _clock = clock ?? TimeProvider.System;
        _run = run ?? ReaderThreads.Run;
        _files = files;
        _maxThreads = maxThreads;
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

    private int ThreadLimit => Math.Min(_reserved, _maxThreads);

    /// <summary>Reserves room for the reads of a queue, and starts the threads that reads have needed so far.</summary>
    /// <exception cref="OutOfMemoryException">No thread could be started; if some could, they serve all reads.</exception>
    public void Reserve(int capacity)
    {
        lock (_gate)
        {
            _waiting.EnsureCapacity(_reserved + capacity);
            _reserved += capacity;
            _isStarting = false;
            while (_threads < Math.Min(_wanted, ThreadLimit))
            {
                try
                {
                    _run(Serve);
                }
                catch (Exception e) when (e is OutOfMemoryException or ThreadStartException && _threads > 0)
                {
                    // The limit of threads is reached: the running ones serve all reads.
                    _wanted = _threads;
                    break;
                }
                catch
                {
                    _reserved -= capacity;
                    throw;
                }

                // Counted only when it runs, so that disposal does not wait for a thread that never started.
                _threads++;
            }
        }
    }

    /// <summary>Releases the room of a queue. Threads that no other queue needs leave.</summary>
    public void Release(int capacity)
    {
        lock (_gate)
        {
            _reserved -= capacity;
            if (_threads > ThreadLimit)
                Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Takes over the reads of a queue and empties it.</summary>
    public void Start(Queue<DeviceRead> reads, CompletionRing finished)
    {
        long now = _clock.GetTimestamp();
        lock (_gate)
        {
            int wakes = Math.Min(_idle, reads.Count);
            while (reads.TryDequeue(out DeviceRead? read))
                _waiting.Enqueue(new Work(read, finished, now));
            for (int i = 0; i < wakes; i++)
                Monitor.Pulse(_gate);
        }
    }

    /// <summary>Lets the threads leave after the waiting reads.</summary>
    /// <returns>False if a thread did not leave within the bound.</returns>
    public bool Stop()
    {
        long began = Stopwatch.GetTimestamp();
        lock (_gate)
        {
            _isStopping = true;
            Monitor.PulseAll(_gate);
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
        while (TryTake(out Work work, out bool isLate))
        {
            work.Read.Result = BlockingRead.Read(_files[work.Read.File].Handle, work.Read);
            work.Finished.Push(work.Read);
            if (isLate)
                StartFurther();
        }
    }

    private void ServeFurther()
    {
        lock (_gate)
            _isStarting = false;
        Serve();
    }

    // Not under the lock: who starts a thread waits for a processor that runs it.
    private void StartFurther()
    {
        try
        {
            _run(ServeFurther);
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            // The limit of threads is reached: until another queue opens, none is tried again.
            lock (_gate)
            {
                _wanted = --_threads;
                Monitor.PulseAll(_gate);
            }
        }
    }

    private bool TryTake(out Work work, out bool isLate)
    {
        isLate = false;
        lock (_gate)
        {
            while (!_waiting.TryDequeue(out work))
            {
                if (_isStopping || _threads > ThreadLimit)
                {
                    _threads--;
                    Monitor.PulseAll(_gate);
                    return false;
                }

                _idle++;
                Monitor.Wait(_gate);
                _idle--;
            }

            bool mayHelp = !_isStarting && _waiting.Count > 0 && _idle == 0 && _threads < ThreadLimit;
            isLate = mayHelp && _clock.GetElapsedTime(work.Since) > _longestWait;
            if (isLate)
            {
                _isStarting = true;
                _wanted = Math.Max(_wanted, ++_threads);
            }

            Debug.Assert(_threads > 0 && _idle >= 0 && _idle < _threads, "the thread that took a read is counted, and not idle");
            return true;
        }
    }

    private readonly record struct Work(DeviceRead Read, CompletionRing Finished, long Since);
}

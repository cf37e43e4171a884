using System.Diagnostics;
using Microsoft.Extensions.Logging;

namespace VectorPipe.Devices.Memory;

/// <summary>A thread that serves the reads of some queues of a memory device.</summary>
/// <remarks>Any thread may add and remove queues. The server parks when everything is served; a queue wakes it once per batch.</remarks>
internal sealed class MemoryServer : IDisposable
{
    private static readonly TimeSpan _joinBound = TimeSpan.FromSeconds(10);

    private readonly MemoryImage _image;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private readonly AutoResetEvent _wake = new(initialState: false);
    private readonly Thread _thread;
    private MemoryRingQueue[] _queues = [];
    private int _isParked;
    private bool _isStopping;

    public MemoryServer(MemoryImage image, int number, ILogger logger)
    {
        _image = image;
        _logger = logger;
        _thread = new Thread(Run, maxStackSize: 256 * 1024) { IsBackground = true, Name = $"vectorpipe memory {number}" };
        _thread.Start();
    }

    public int FileCount => _image.FileCount;

    /// <summary>Serves a queue from here on.</summary>
    public void Add(MemoryRingQueue queue)
    {
        lock (_gate)
            Volatile.Write(ref _queues, [.. _queues, queue]);
    }

    /// <summary>Stops serving a queue that has nothing in flight.</summary>
    public void Remove(MemoryRingQueue queue)
    {
        lock (_gate)
            Volatile.Write(ref _queues, Array.FindAll(_queues, q => q != queue));
    }

    /// <summary>Informs the thread that reads were published.</summary>
    public void Wake()
    {
        // Full fence: publish the reads before loading the parking flag. Park does it in the opposite order.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isParked) != 0 && Interlocked.Exchange(ref _isParked, 0) != 0)
            _wake.Set();
    }

    public void ReportLeak(int count) => DeviceLog.ReadsLeaked(_logger, count, "memory");

    /// <summary>Ends the thread after it has served everything that was published.</summary>
    /// <returns>False if it did not end within the bound; it still uses the image then.</returns>
    public bool Stop()
    {
        Volatile.Write(ref _isStopping, true);
        Wake();
        return _thread.Join(_joinBound);
    }

    /// <summary>Frees the event of a thread that has ended.</summary>
    public void Dispose() => _wake.Dispose();

    private void Run()
    {
        SpinWait pause = default;
        while (true)
        {
            if (ServeDue(out long nextDue))
            {
                pause.Reset();
                continue;
            }

            if (nextDue != long.MaxValue)
                PauseUntil(nextDue, ref pause);
            else if (Volatile.Read(ref _isStopping))
                return;
            else
                Park();
        }
    }

    /// <summary>Serves the due reads; returns whether there were any, and when the next is due.</summary>
    private bool ServeDue(out long nextDue)
    {
        bool hasServed = false;
        nextDue = long.MaxValue;
        foreach (MemoryRingQueue queue in Volatile.Read(ref _queues))
        {
            while (queue.Submitted.TryPeek(out long due))
            {
                if (due > 0 && due > Stopwatch.GetTimestamp())
                {
                    nextDue = Math.Min(nextDue, due);
                    break;
                }

                DeviceRead read = queue.Submitted.Pop();
                _image.Serve(read);
                queue.Finished.Push(read);
                hasServed = true;
            }
        }

        return hasServed;
    }

    /// <summary>Sleeps through a long wait and spins through a short one: a timer is coarser than a fast disk.</summary>
    private void PauseUntil(long due, ref SpinWait pause)
    {
        double leftMs = (due - Stopwatch.GetTimestamp()) * 1000.0 / Stopwatch.Frequency;
        if (leftMs > 3)
            _wake.WaitOne((int)leftMs - 2);
        else
            pause.SpinOnce(sleep1Threshold: -1);
    }

    private void Park()
    {
        Volatile.Write(ref _isParked, 1);
        Interlocked.MemoryBarrier();
        if (HasReads() || Volatile.Read(ref _isStopping))
        {
            // A waker that took the flag sets the event, so the next wait returns at once and finds nothing. Harmless.
            Volatile.Write(ref _isParked, 0);
            return;
        }

        _wake.WaitOne();
    }

    private bool HasReads() => Array.Exists(Volatile.Read(ref _queues), static queue => !queue.Submitted.IsEmpty);
}

using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Bench.Searches;

/// <summary>A device queue that sums up, over time, how many reads are in flight: from acceptance until they are handed back.</summary>
/// <remarks>
/// As the queue behind it. <see cref="ReadTicks"/> alone may be read by another thread; what it says is then at most one event old.
/// </remarks>
internal sealed class DepthQueue(IDeviceQueue queue) : IDeviceQueue
{
    private long _readTicks;
    private long _lastEvent = Stopwatch.GetTimestamp();
    private int _inFlight;

    /// <summary>Time that all reads together have spent in flight, in <see cref="Stopwatch"/> ticks.</summary>
    public long ReadTicks =>
        Volatile.Read(ref _readTicks) + (Volatile.Read(ref _inFlight) * (Stopwatch.GetTimestamp() - Volatile.Read(ref _lastEvent)));

    /// <inheritdoc/>
    public int Capacity => queue.Capacity;

    /// <inheritdoc/>
    public int InFlight => queue.InFlight;

    /// <inheritdoc/>
    public bool IsFaulted => queue.IsFaulted;

    /// <inheritdoc/>
    public DeviceException? FaultCause => queue.FaultCause;

    /// <inheritdoc/>
    public bool BuffersMayBeWritten => queue.BuffersMayBeWritten;

    /// <inheritdoc/>
    public DeviceCounters Counters => queue.Counters;

    /// <inheritdoc/>
    public bool TryEnqueue(DeviceRead read)
    {
        bool accepted = queue.TryEnqueue(read);
        Account();
        return accepted;
    }

    /// <inheritdoc/>
    public void Submit() => queue.Submit();

    /// <inheritdoc/>
    public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout)
    {
        int reaped = queue.Reap(completed, waitFor, timeout);
        if (reaped > 0)
            Account();
        return reaped;
    }

    /// <inheritdoc/>
    public void Disown() => queue.Disown();

    /// <inheritdoc/>
    public void Dispose()
    {
        queue.Dispose();
        _inFlight = 0;
    }

    /// <summary>Adds the time since the last event at the number of reads that were in flight then.</summary>
    private void Account()
    {
        long now = Stopwatch.GetTimestamp();
        Volatile.Write(ref _readTicks, _readTicks + (_inFlight * (now - _lastEvent)));
        Volatile.Write(ref _lastEvent, now);
        Volatile.Write(ref _inFlight, queue.InFlight);
    }
}

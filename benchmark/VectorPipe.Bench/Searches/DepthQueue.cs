using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Bench.Searches;

/// <summary>A device queue that sums up the time that its reads are in flight, from acceptance to completion.</summary>
/// <remarks>Other threads may read <see cref="ReadTicks"/>, and nothing else; the value is at most one event old.</remarks>
internal sealed class DepthQueue(IDeviceQueue queue) : IDeviceQueue
{
    private long _readTicks;
    private long _lastEvent = Stopwatch.GetTimestamp();
    private int _inFlight;

    /// <summary>The sum of the times that reads were in flight, in <see cref="Stopwatch"/> ticks.</summary>
    public long ReadTicks =>
        Volatile.Read(ref _readTicks) + (Volatile.Read(ref _inFlight) * (Stopwatch.GetTimestamp() - Volatile.Read(ref _lastEvent)));

    public int Capacity => queue.Capacity;

    public int InFlight => queue.InFlight;

    public bool IsFaulted => queue.IsFaulted;

    public DeviceException? FaultCause => queue.FaultCause;

    public bool BuffersMayBeWritten => queue.BuffersMayBeWritten;

    public DeviceCounters Counters => queue.Counters;

    public bool TryEnqueue(DeviceRead read)
    {
        bool accepted = queue.TryEnqueue(read);
        Account();
        return accepted;
    }

    public void Submit() => queue.Submit();

    public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout)
    {
        int reaped = queue.Reap(completed, waitFor, timeout);
        if (reaped > 0)
            Account();
        return reaped;
    }

    public void Disown() => queue.Disown();

    public void Dispose()
    {
        queue.Dispose();
        _inFlight = 0;
    }

    // Adds the time since the last event, once for each read that was in flight since then.
    private void Account()
    {
        long now = Stopwatch.GetTimestamp();
        Volatile.Write(ref _readTicks, _readTicks + (_inFlight * (now - _lastEvent)));
        Volatile.Write(ref _lastEvent, now);
        Volatile.Write(ref _inFlight, queue.InFlight);
    }
}

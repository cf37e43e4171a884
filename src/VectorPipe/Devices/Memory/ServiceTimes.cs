using System.Diagnostics;

namespace VectorPipe.Devices.Memory;

/// <summary>
/// When the reads of a memory device are due: as on a disk that serves so many a second, of all its queues together, and needs some time
/// for each. Thread-safe.
/// </summary>
internal sealed class ServiceTimes
{
    private readonly long _latencyTicks;
    private readonly long _intervalTicks;
    private long _servedUntil;

    /// <param name="latencyUs">Microseconds that every read takes, however idle the device is.</param>
    /// <param name="readsPerSecond">Reads served a second; null for no bound.</param>
    public ServiceTimes(int latencyUs, int? readsPerSecond)
    {
        _latencyTicks = latencyUs * Stopwatch.Frequency / 1_000_000;
        _intervalTicks = readsPerSecond is { } rate ? Stopwatch.Frequency / rate : 0;
    }

    /// <summary>Whether reads are due as soon as they are there.</summary>
    public bool IsImmediate => _latencyTicks == 0 && _intervalTicks == 0;

    /// <summary>When a read that comes now is due, in ticks of the stopwatch: no earlier than any that came before.</summary>
    public long Take()
    {
        long now = Stopwatch.GetTimestamp();
        if (_intervalTicks == 0)
            return now + _latencyTicks;
        while (true)
        {
            long until = Volatile.Read(ref _servedUntil);
            long end = Math.Max(until, now) + _intervalTicks;
            if (Interlocked.CompareExchange(ref _servedUntil, end, until) == until)
                return end + _latencyTicks;
        }
    }
}

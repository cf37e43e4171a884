using System.Diagnostics;

namespace VectorPipe.Devices.Memory;

/// <summary>The times at which reads of a memory device are due, given its rate and its latency. Thread-safe.</summary>
/// <param name="latencyUs">Microseconds that every read takes, even on an idle device.</param>
/// <param name="readsPerSecond">Reads served per second, for all queues together; null for no bound.</param>
internal sealed class ServiceTimes(int latencyUs, int? readsPerSecond)
{
    private readonly long _latencyTicks = latencyUs * Stopwatch.Frequency / 1_000_000;
    private readonly long _intervalTicks = readsPerSecond is { } rate ? Stopwatch.Frequency / rate : 0;
    private long _servedUntil;

    public bool IsImmediate => _latencyTicks == 0 && _intervalTicks == 0;

    /// <summary>The <see cref="Stopwatch"/> timestamp at which a read that arrives now is due: no earlier than any before it.</summary>
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

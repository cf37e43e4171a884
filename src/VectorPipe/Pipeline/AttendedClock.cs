using System.Diagnostics;

namespace VectorPipe.Pipeline;

/// <summary>
/// Milliseconds that a session was looked after: a thread or a machine that is suspended for minutes adds a moment, however long it was.
/// </summary>
/// <remarks>
/// A read that landed long ago is found only by a look. By the time of the day it would be overdue as soon as the machine wakes, before
/// anyone has looked.
/// </remarks>
internal sealed class AttendedClock
{
    private readonly Func<long> _nowMs;
    private readonly long _mostUnattendedMs;
    private long _lookedAtMs;

    /// <param name="nowMs">The time, never falling; any origin.</param>
    /// <param name="mostUnattendedMs">Milliseconds between two looks that count; at least 1.</param>
    public AttendedClock(Func<long> nowMs, long mostUnattendedMs)
    {
        Debug.Assert(mostUnattendedMs > 0, "a clock that never advances never tells that a read is overdue");
        _nowMs = nowMs;
        _mostUnattendedMs = mostUnattendedMs;
        _lookedAtMs = nowMs();
    }

    /// <summary>The time at the last look.</summary>
    public long Ms { get; private set; }

    /// <summary>Looks.</summary>
    /// <param name="waitedMs">Milliseconds that were meant to pass since the last look, in a wait that a completion would have
    /// ended.</param>
    /// <returns><see cref="Ms"/>.</returns>
    public long Look(long waitedMs = 0)
    {
        long nowMs = _nowMs();
        Ms += Math.Clamp(nowMs - _lookedAtMs, 0, waitedMs + _mostUnattendedMs);
        _lookedAtMs = nowMs;
        return Ms;
    }
}

using System.Diagnostics;

namespace VectorPipe.Pipeline;

/// <summary>Milliseconds for which a session was attended: a suspension of the thread or the machine adds a bounded amount.</summary>
/// <remarks>
/// Only a look finds a read that has landed. By wall time every read would be overdue after a suspension, before anybody has looked.
/// </remarks>
internal sealed class AttendedClock
{
    private readonly Func<long> _nowMs;
    private readonly long _maxUnattendedMs;
    private long _lookedAtMs;

    /// <param name="nowMs">The time; never falls; any origin.</param>
    /// <param name="maxUnattendedMs">The most milliseconds that count between two looks; at least 1.</param>
    public AttendedClock(Func<long> nowMs, long maxUnattendedMs)
    {
        Debug.Assert(maxUnattendedMs > 0, "the clock advances");
        _nowMs = nowMs;
        _maxUnattendedMs = maxUnattendedMs;
        _lookedAtMs = nowMs();
    }

    /// <summary>The attended time at the last look.</summary>
    public long Ms { get; private set; }

    /// <summary>Notes that the session looks for completions, and returns <see cref="Ms"/>.</summary>
    /// <param name="waitedMs">Milliseconds since the last look that were spent in a wait which a completion would have ended.</param>
    public long Look(long waitedMs = 0)
    {
        long nowMs = _nowMs();
        Ms += Math.Clamp(nowMs - _lookedAtMs, 0, waitedMs + _maxUnattendedMs);
        _lookedAtMs = nowMs;
        return Ms;
    }
}

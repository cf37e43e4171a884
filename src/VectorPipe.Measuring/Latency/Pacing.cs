using System.Diagnostics;

namespace VectorPipe.Measuring.Latency;

/// <summary>The schedule of one thread's operations. Not thread-safe.</summary>
/// <remarks>
/// The latency of a paced operation counts from the time it was due, even if it started late. A stall then shows in every operation that
/// it delayed, not only in those in flight (no coordinated omission).
/// </remarks>
internal sealed class Pacing
{
    private readonly double _ticksBetween;
    private readonly long _first;
    private long _taken;

    /// <summary>Creates the schedule of one of several threads that take turns.</summary>
    /// <param name="rate">Operations per second of all threads together.</param>
    /// <param name="start">Due time of the first thread's first operation, in <see cref="Stopwatch"/> ticks.</param>
    public Pacing(double rate, int thread, int threads, long start)
    {
        double ticks = Stopwatch.Frequency / rate;
        _ticksBetween = ticks * threads;
        _first = start + (long)(ticks * thread);
    }

    /// <summary>Due time of the next operation, in <see cref="Stopwatch"/> ticks.</summary>
    public long Next => _first + (long)(_taken * _ticksBetween);

    /// <summary>Takes the next operation if it is due.</summary>
    public bool TryTake(long now, out long due)
    {
        due = Next;
        if (due > now)
            return false;
        _taken++;
        return true;
    }
}

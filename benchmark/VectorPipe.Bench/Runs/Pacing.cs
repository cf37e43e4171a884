using System.Diagnostics;

namespace VectorPipe.Bench.Runs;

/// <summary>When the operations of one thread are due. Not thread-safe.</summary>
/// <remarks>
/// A paced operation's latency counts from the time at which it was due, however late it was started: a stall then shows in every operation
/// that it delayed, not only in those that were under way (no coordinated omission).
/// </remarks>
internal sealed class Pacing
{
    private readonly double _ticksBetween;
    private readonly long _first;
    private long _taken;

    /// <summary>The schedule of one of several threads that take turns.</summary>
    /// <param name="rate">Operations a second, all threads together.</param>
    /// <param name="thread">Number of the thread.</param>
    /// <param name="threads">Threads.</param>
    /// <param name="start">When the first thread's first operation is due, in <see cref="Stopwatch"/> ticks.</param>
    public Pacing(double rate, int thread, int threads, long start)
    {
        double ticks = Stopwatch.Frequency / rate;
        _ticksBetween = ticks * threads;
        _first = start + (long)(ticks * thread);
    }

    /// <summary>When the next operation is due, in <see cref="Stopwatch"/> ticks.</summary>
    public long Next => _first + (long)(_taken * _ticksBetween);

    /// <summary>Takes the next operation if it is due.</summary>
    /// <param name="now">The time.</param>
    /// <param name="due">When it was due.</param>
    public bool TryTake(long now, out long due)
    {
        due = Next;
        if (due > now)
            return false;
        _taken++;
        return true;
    }
}

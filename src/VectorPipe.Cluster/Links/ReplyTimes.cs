using System.Diagnostics;

namespace VectorPipe.Cluster.Links;

/// <summary>How long recent replies took. Thread-safe.</summary>
internal sealed class ReplyTimes
{
    private const int Kept = 256;
    private const int Least = 64;

    // To sort takes as long as 16 replies take to be noted.
    private const int SortEvery = 16;
    private const double Share = 0.95;

    private readonly Lock _gate = new();
    private readonly long[] _ticks = new long[Kept];
    private readonly long[] _sorted = new long[Kept];
    private int _count;
    private long _p95 = -1;

    /// <summary>The time that 95 of 100 recent replies did not exceed; null until there were enough of them.</summary>
    public TimeSpan? P95 => Volatile.Read(ref _p95) is >= 0 and var ticks ? new TimeSpan(ticks) : null;

    /// <summary>Notes one.</summary>
    public void Add(TimeSpan time)
    {
        lock (_gate)
        {
            _ticks[_count % Kept] = time.Ticks;

            // Only its remainders count, once there are enough.
            _count = _count + 1 < 2 * Kept ? _count + 1 : Kept;
            if (_count < Least || _count % SortEvery != 0)
                return;
            Span<long> sorted = _sorted.AsSpan(0, Math.Min(_count, Kept));
            _ticks.AsSpan(0, sorted.Length).CopyTo(sorted);
            sorted.Sort();
            Volatile.Write(ref _p95, sorted[(int)Math.Ceiling(Share * sorted.Length) - 1]);
            AssertInvariants();
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_count is >= 0 and < 2 * Kept, "the count stays within two rounds");
        Debug.Assert(_p95 < 0 || _count >= Least, "few replies say nothing");
    }
}

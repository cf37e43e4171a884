namespace VectorPipe.Searching.Serving;

/// <summary>The time before the next attempt: 1 ms after the first failure, and twice as long after each further one, up to 1 s.</summary>
/// <remarks>One thread reports failures; any thread may ask whether the time is over.</remarks>
/// <param name="nowMs">A monotonic clock of any origin.</param>
internal sealed class BackOff(Func<long> nowMs)
{
    private const int LongestMs = 1000;

    private long _endsAtMs = long.MinValue;
    private int _failures;

    /// <summary>Whether the time is over, or nothing has failed.</summary>
    public bool IsOver => LeftMs == 0;

    public long LeftMs
    {
        get
        {
            long endsAtMs = Volatile.Read(ref _endsAtMs);
            return endsAtMs == long.MinValue ? 0 : Math.Max(0, endsAtMs - nowMs());
        }
    }

    public void Fail()
    {
        long ms = Math.Min(LongestMs, 1L << Math.Min(_failures++, 10));
        Volatile.Write(ref _endsAtMs, nowMs() + ms);
    }

    /// <summary>Notes a success: the next failure counts as the first.</summary>
    public void Succeed()
    {
        if (_failures == 0)
            return;
        _failures = 0;
        Volatile.Write(ref _endsAtMs, long.MinValue);
    }
}

namespace VectorPipe.Searching.Serving;

/// <summary>The time between two attempts to open what has failed: 1 ms, and twice as long with every failure, up to 1 s.</summary>
/// <remarks>One thread writes; any thread may ask whether it is over.</remarks>
internal sealed class BackOff
{
    private const int LongestMs = 1000;

    private readonly Func<long> _nowMs;
    private long _endsAtMs = long.MinValue;
    private int _failures;

    /// <param name="nowMs">The time, never falling; any origin.</param>
    public BackOff(Func<long> nowMs) => _nowMs = nowMs;

    /// <summary>Whether the time is up, or nothing has failed.</summary>
    public bool IsOver => LeftMs == 0;

    /// <summary>Milliseconds left.</summary>
    public long LeftMs
    {
        get
        {
            long endsAtMs = Volatile.Read(ref _endsAtMs);
            return endsAtMs == long.MinValue ? 0 : Math.Max(0, endsAtMs - _nowMs());
        }
    }

    /// <summary>An attempt has failed.</summary>
    public void Fail()
    {
        long ms = Math.Min(LongestMs, 1L << Math.Min(_failures++, 10));
        Volatile.Write(ref _endsAtMs, _nowMs() + ms);
    }

    /// <summary>It works: the next failure begins anew.</summary>
    public void Succeed()
    {
        if (_failures == 0)
            return;
        _failures = 0;
        Volatile.Write(ref _endsAtMs, long.MinValue);
    }
}

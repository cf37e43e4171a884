namespace VectorPipe.Pipeline;

/// <summary>Decides whether a thread polls for completions before it sleeps: a wake-up costs more than many polls.</summary>
/// <remarks>
/// A thread polls for the reads of about one query: with more in flight it rarely sleeps. It stops for a while where polling is no use:
/// where nothing lands within the time of a fast disk's read, and where another thread wants the core. The first waits sleep, so that a
/// session of a few reads costs nothing. Not thread-safe. See docs/decisions.md#polling.
/// </remarks>
internal sealed class WaitPolling
{
    /// <summary>Most reads in flight of a thread that polls, unless the time is fixed.</summary>
    public const int MostReads = 16;

    /// <summary>Longest time to poll, unless it is fixed: twice what a fast disk takes.</summary>
    public const int MostUs = 200;

    /// <summary>A thread that looks so much later than it meant to has lost its core meanwhile.</summary>
    public const int LostUs = 50;

    /// <summary>Waits that pass without polling at first and after one that was no use; twice as many after each further one.</summary>
    public const int FirstPause = 16;

    /// <summary>Waits that pass without polling after one in which the thread lost its core, at least.</summary>
    public const int LostPause = 256;

    /// <summary>Most waits in a row that pass without polling.</summary>
    public const int LongestPause = 1024;

    private readonly bool _isFixed;
    private readonly long _ticks;
    private readonly long _lostTicks;
    private int _left = FirstPause;
    private int _pause;

    /// <param name="fixedUs">Microseconds to poll in any case, 0 for never; null to adapt.</param>
    /// <param name="clock">Measures the time.</param>
    public WaitPolling(int? fixedUs, TimeProvider clock)
    {
        Clock = clock;
        _isFixed = fixedUs is not null;
        int us = fixedUs ?? (Environment.ProcessorCount > 1 ? MostUs : 0);
        _ticks = us * clock.TimestampFrequency / 1_000_000;
        _lostTicks = LostUs * clock.TimestampFrequency / 1_000_000;
    }

    public TimeProvider Clock { get; }

    /// <summary>The time to poll in a wait; 0 to sleep at once.</summary>
    /// <param name="inFlight">Reads of the thread that are in flight.</param>
    public long TicksFor(int inFlight)
    {
        if (_isFixed || _ticks == 0)
            return _ticks;
        if (inFlight > MostReads)
            return 0;
        if (_left == 0)
            return _ticks;
        _left--;
        return 0;
    }

    /// <summary>Notes how a wait went in which the thread polled.</summary>
    /// <param name="hasLanded">Whether a read landed.</param>
    /// <param name="longestGap">The longest time between two looks, in ticks.</param>
    public void Note(bool hasLanded, long longestGap)
    {
        if (_isFixed)
            return;
        bool hasLost = longestGap >= _lostTicks;
        _pause = hasLanded && !hasLost ? 0 : Math.Clamp(2 * _pause, hasLost ? LostPause : FirstPause, LongestPause);
        _left = _pause;
    }
}

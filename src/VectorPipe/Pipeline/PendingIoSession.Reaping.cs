using VectorPipe.Devices;

namespace VectorPipe.Pipeline;

/// <content>Takes ops back from the device. They are ready: the drain serves them in the order in which they landed.</content>
internal sealed unsafe partial class PendingIoSession
{
    /// <summary>Pause instructions between two polls: tens of nanoseconds, so that polling does not slow the core's other thread.</summary>
    private const int PollPause = 8;

    /// <summary>
    /// A wait ends when one in this many of the reads in flight has landed (docs/decisions.md#waiting-and-submitting). A session with fewer
    /// than 32 in flight waits for one.
    /// </summary>
    private const int WaitShare = 16;

    // The ready ops lie between the two ends. There is room for all ops, so it is never full when the device hands one back.
    private readonly DeviceRead[] _ready;
    private int _readyNext;
    private int _readyEnd;

    private int Ready => _readyEnd - _readyNext;

    private void Reap(TimeSpan wait)
    {
        if (_readyNext > 0)
        {
            // An owner threw in the last turn: move the ops that it left to the front.
            _ready.AsSpan(_readyNext, Ready).CopyTo(_ready);
            (_readyNext, _readyEnd) = (0, Ready);
        }

        wait = UntilOverdue(wait, 0);
        int waitFor = wait > TimeSpan.Zero && Ready == 0 && _queue.InFlight > 0 ? Math.Max(1, _queue.InFlight / WaitShare) : 0;
        if (waitFor > 0 && _polling.TicksFor(_queue.InFlight) is > 0 and var ticks)
        {
            if (Poll(wait, ticks))
                return;
            wait = UntilOverdue(wait, (long)wait.TotalMilliseconds);
            if (wait == TimeSpan.Zero)
                waitFor = 0;
        }

        if (waitFor == 0)
            Submit();
        TakeBack(waitFor, waitFor > 0 ? wait : _longestWait);

        // A reap that waits has submitted in the same call. Not before it returns: one that throws may not have got that far.
        if (waitFor > 0)
        {
            _unsubmitted = 0;
            _clock.Look((long)wait.TotalMilliseconds);
        }
    }

    /// <summary>Polls for a bounded time before the thread sleeps.</summary>
    /// <returns>Whether something landed.</returns>
    private bool Poll(TimeSpan wait, long ticks)
    {
        Submit();
        TimeProvider clock = _polling.Clock;
        long last = clock.GetTimestamp(), end = last + Math.Min(ticks, (long)(wait.TotalSeconds * clock.TimestampFrequency)), gap = 0;
        bool hasLanded;
        do
        {
            hasLanded = TakeBack(0, _longestWait) > 0;
            if (!hasLanded)
                Thread.SpinWait(PollPause);
            long now = clock.GetTimestamp();
            gap = Math.Max(gap, now - last);
            last = now;
        }
        while (!hasLanded && last < end && !_queue.IsFaulted);
        _polling.Note(hasLanded, gap);
        return hasLanded;
    }

    private int TakeBack(int waitFor, TimeSpan timeout)
    {
        int start = _readyEnd, reaped = _queue.Reap(_ready.AsSpan(start), waitFor, timeout);
        for (int i = start; i < start + reaped; i++)
        {
            var op = (PendingIoContext)_ready[i];
            if (!op.TryMarkReady())
            {
                // Handed back twice: serving it would put it into the pool twice, and two requests into one buffer.
                StrayCompletions++;
                continue;
            }

            if (_readyEnd != i)
                _ready[_readyEnd] = op;
            _readyEnd++;
        }

        return reaped;
    }
}

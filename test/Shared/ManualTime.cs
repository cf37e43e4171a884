namespace VectorPipe.TestHost;

/// <summary>A clock that a test advances, with timers that go off by it.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Alarm> _alarms = [];
    private TaskCompletionSource _set = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Volatile.Read(ref _ticks);

    /// <summary>Ends when the next timer is set.</summary>
    public Task NextTimerAsync()
    {
        lock (_gate)
            return _set.Task;
    }

    /// <summary>Goes on by a time, and has timers go off that are due by then.</summary>
    public void Advance(TimeSpan time)
    {
        Alarm[] due;
        lock (_gate)
        {
            _ticks += time.Ticks;
            due = [.. _alarms.Where(alarm => alarm.Due <= _ticks)];
            _alarms.RemoveAll(alarm => alarm.Due <= _ticks);
        }

        foreach (Alarm alarm in due)
            alarm.GoOff();
    }

    /// <summary>A timer that goes off once, as those of time-outs do.</summary>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var alarm = new Alarm(this, () => callback(state));
        alarm.Change(dueTime, period);
        return alarm;
    }

    private sealed class Alarm(ManualTime time, Action goOff) : ITimer
    {
        public long Due { get; private set; }

        public void GoOff() => goOff();

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (period != Timeout.InfiniteTimeSpan)
                throw new NotSupportedException("Expected a timer that goes off once.");
            TaskCompletionSource set;
            lock (time._gate)
            {
                time._alarms.Remove(this);
                if (dueTime == Timeout.InfiniteTimeSpan)
                    return true;
                Due = time._ticks + dueTime.Ticks;
                time._alarms.Add(this);
                (set, time._set) = (time._set, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
            }

            set.SetResult();
            return true;
        }

        public void Dispose()
        {
            lock (time._gate)
                time._alarms.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}

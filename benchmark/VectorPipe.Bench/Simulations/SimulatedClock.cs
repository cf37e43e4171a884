namespace VectorPipe.Bench.Simulations;

/// <summary>The time of a simulation, and what is planned to happen in it.</summary>
/// <remarks>It happens in the order of time, and at one time in the order in which it was planned. Not thread-safe.</remarks>
internal sealed class SimulatedClock : TimeProvider
{
    private readonly PriorityQueue<Action, (long At, long Number)> _plans = new();
    private long _now;
    private long _number;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>The time since the start.</summary>
    public TimeSpan Now => new(_now);

    public override long GetTimestamp() => _now;

    /// <summary>Plans an action.</summary>
    /// <param name="time">From now on; less than zero is at once.</param>
    public void After(TimeSpan time, Action action) => _plans.Enqueue(action, (_now + Math.Max(0, time.Ticks), _number++));

    /// <summary>Has all happen that is planned before a time.</summary>
    public void RunUntil(TimeSpan end, CancellationToken cancellationToken)
    {
        while (_plans.TryPeek(out _, out (long At, long Number) next) && next.At < end.Ticks)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Action action = _plans.Dequeue();
            _now = next.At;
            action();
        }

        _now = end.Ticks;
    }
}

namespace VectorPipe.Bench.Simulations;

/// <summary>A node: it answers searches of its replicas, and may be slow, stop, or be killed. Not thread-safe.</summary>
internal sealed class SimulatedNode(SimulatedClock clock, SimulatedMachine machine, SimulationPlan plan, Random random)
{
    private readonly List<Action> _held = [];
    private readonly HashSet<SimulatedCall> _calls = [];
    private TimeSpan _deviceFree;
    private bool _isStopped;

    /// <summary>Whether it was killed.</summary>
    public bool IsKilled { get; private set; }

    /// <summary>Whether it goes on with its work.</summary>
    public bool IsRunning => !IsKilled && !_isStopped;

    /// <summary>How often it was stopped or killed: who waited for it to pass a read on then waits no longer.</summary>
    public int Failures { get; private set; }

    /// <summary>Time of cores that it took.</summary>
    public TimeSpan Worked { get; set; }

    /// <summary>How many times as long its work takes as that of others.</summary>
    public double Factor { get; set; } = 1;

    /// <summary>The share of its answers that come later by <see cref="Late"/>.</summary>
    public double LateShare { get; set; }

    /// <summary>How much later those come; no core works then.</summary>
    public TimeSpan Late { get; set; }

    /// <summary>Has a core work for it.</summary>
    public void Work(TimeSpan time, Action done) => GoOn(() => machine.Work(this, time * Factor, done));

    /// <summary>Searches a replica: reads, and work of a core.</summary>
    public void Search(Action done)
    {
        TimeSpan service = plan.Service.Of(random.NextDouble()), work = service * plan.WorkShare;
        TimeSpan now = clock.Now, wait = (service - work) * Factor;
        if (plan.DeviceTime > TimeSpan.Zero)
        {
            _deviceFree = (_deviceFree > now ? _deviceFree : now) + (plan.DeviceTime * Factor);
            wait = wait > _deviceFree - now ? wait : _deviceFree - now;
        }

        if (LateShare > 0 && random.NextDouble() < LateShare)
            wait += Late;
        clock.After(wait, () => Work(work, done));
    }

    /// <summary>Takes a call of another node, which ends with an answer or with this node.</summary>
    public void Take(SimulatedCall call)
    {
        if (IsKilled)
        {
            call.Lose();
            return;
        }

        _calls.Add(call);
        GoOn(() => Search(() =>
        {
            _calls.Remove(call);
            call.Answer();
        }));
    }

    /// <summary>Does something once it runs: at once, or when it goes on after a stop; never if it was killed.</summary>
    public void GoOn(Action action)
    {
        if (_isStopped)
            _held.Add(action);
        else if (!IsKilled)
            action();
    }

    public void Stop()
    {
        _isStopped = true;
        Failures++;
    }

    public void Resume()
    {
        _isStopped = false;
        Action[] held = [.. _held];
        _held.Clear();
        foreach (Action action in held)
            action();
    }

    /// <summary>Ends it; its connections end at once.</summary>
    public void Kill()
    {
        IsKilled = true;
        Failures++;
        SimulatedCall[] calls = [.. _calls];
        _calls.Clear();
        foreach (SimulatedCall call in calls)
            call.Lose();
    }
}

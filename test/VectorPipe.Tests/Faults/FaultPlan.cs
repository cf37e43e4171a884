using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Tests.Faults;

/// <summary>A script of faults by call number, counted from 0 since the plan was made; none by default.</summary>
/// <remarks>Belongs to the thread of its queue.</remarks>
internal sealed class FaultPlan
{
    private long _reads;
    private long _enqueues;
    private long _submits;
    private long _reaps;

    /// <summary>The fault of the k-th accepted read.</summary>
    public Func<long, DeviceRead, Fault> OnRead { get; init; } = static (_, _) => default;

    /// <summary>Called at the k-th enqueue, before it: false refuses it; may throw.</summary>
    public Func<long, bool> OnEnqueue { get; init; } = static _ => true;

    /// <summary>Called at the k-th submit, before it; may throw.</summary>
    public Action<long> OnSubmit { get; init; } = static _ => { };

    /// <summary>Called at the k-th reap, before it; may throw.</summary>
    public Action<long> OnReap { get; init; } = static _ => { };

    /// <summary>Whether the k-th reap finds the queue broken for good: its reads end with EIO, and it refuses others.</summary>
    public Func<long, bool> Breaks { get; init; } = static _ => false;

    /// <summary>Called before a queue is opened; may throw.</summary>
    public Action OnOpen { get; set; } = static () => { };

    /// <summary>Called when a queue has been closed; may throw.</summary>
    public Action OnClose { get; init; } = static () => { };

    /// <summary>Whether the next reap hands back reads that were lost under earlier plans.</summary>
    public bool FindsLost { get; init; }

    /// <summary>Chooses which of n finished reads is handed back next; the default is the oldest.</summary>
    public Func<int, int> Choose { get; init; } = static _ => 0;

    /// <summary>Reads accepted under this plan.</summary>
    public long Reads => _reads;

    /// <summary>Faults by seeded rates; the same seed gives the same faults.</summary>
    public static FaultPlan Random(int seed, FaultRates rates)
    {
        Random random = new(seed);
        return new FaultPlan
        {
            OnRead = (_, read) => rates.Draw(random, read),
            OnEnqueue = _ => random.NextDouble() >= rates.ThrowAtEnqueue ? random.NextDouble() >= rates.Refusal : throw Thrown("enqueue"),
            OnSubmit = _ =>
            {
                if (random.NextDouble() < rates.ThrowAtSubmit)
                    throw Thrown("submit");
            },
            OnReap = _ =>
            {
                if (rates.ThrowAtReap > 0 && random.NextDouble() < rates.ThrowAtReap)
                    throw Thrown("reap");
            },
            Choose = count => rates.Reorders ? random.Next(count) : 0,
        };

        Exception Thrown(string step) => rates.Untyped > 0 && random.NextDouble() < rates.Untyped
            ? new InvalidOperationException($"The {step} was made to fail")
            : new DeviceException($"The {step} was made to fail", Errno.ENXIO);
    }

    /// <summary>A plan with one fault, at the k-th read.</summary>
    public static FaultPlan At(long k, Fault fault) => new() { OnRead = (n, _) => n == k ? fault : default };

    /// <summary>A plan that calls an action before the k-th step of a kind.</summary>
    public static FaultPlan At(FaultStep step, long k, Action action)
    {
        return new FaultPlan
        {
            OnEnqueue = n =>
            {
                Do(FaultStep.Enqueue, n);
                return true;
            },
            OnSubmit = n => Do(FaultStep.Submit, n),
            OnReap = n => Do(FaultStep.Reap, n),
        };

        void Do(FaultStep here, long n)
        {
            if (here == step && n == k)
                action();
        }
    }

    /// <summary>A plan with the same fault from the k-th read on.</summary>
    public static FaultPlan From(long k, Fault fault) => new() { OnRead = (n, _) => n >= k ? fault : default };

    /// <summary>Steps of a kind under this plan.</summary>
    public long Steps(FaultStep step) => step switch
    {
        FaultStep.Enqueue => _enqueues,
        FaultStep.Submit => _submits,
        _ => _reaps,
    };

    public Fault NextRead(DeviceRead read) => OnRead(_reads++, read);

    public bool NextEnqueue() => OnEnqueue(_enqueues++);

    public void NextSubmit() => OnSubmit(_submits++);

    /// <returns>Whether the queue breaks.</returns>
    public bool NextReap()
    {
        long reap = _reaps++;
        OnReap(reap);
        return Breaks(reap);
    }
}

using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults;

/// <summary>A session over a fault device over a simulated disk, and requests whose answers are known when nothing fails.</summary>
/// <typeparam name="TRequest">What is asked; its text names the case.</typeparam>
internal abstract class SessionUnderTest<TRequest> : IDisposable
    where TRequest : notnull
{
    /// <param name="test">What is asked.</param>
    /// <param name="seed">Seed of the simulated disk.</param>
    /// <param name="openDisk">Opens another disk in its place; null for the simulated one.</param>
    /// <param name="options">How to open the index; null for one run thread and two queries at once.</param>
    protected SessionUnderTest(TestIndex test, int seed, Func<IReadOnlyList<string>, IDevice>? openDisk, OpenOptions? options)
    {
        Test = test;
        options ??= new OpenOptions
        {
            QueriesInFlight =
            2,
            SearchThreads = 1,
            Device = new DeviceOptions { Tuning = new DeviceTuning { SubmitEvery = 1 } }
        };
        Index = VectorIndex.Open(
            test.Directory, options, (paths, _, _) =>
            Device = new FaultDevice(openDisk is null ? new SimulatedDevice(paths, seed) : openDisk(paths)));
        Session = InFlight.Watch(Index.OpenSession(), PendingReads.Describe);
    }

    public VectorIndex Index { get; }

    public FaultDevice Device { get; private set; } = null!;

    public SearchSession Session { get; private set; }

    protected TestIndex Test { get; }

    /// <summary>The errors that a failed read may become.</summary>
    public static bool IsTyped(Exception error) => error is VectorPipeException or TimeoutException or OperationCanceledException;

    /// <summary>Asks under a plan.</summary>
    /// <returns>The error; null if there was an answer, which is compared with the fault-free one.</returns>
    public Exception? Run(string name, TRequest request, FaultPlan plan, CancellationToken cancellationToken = default)
    {
        Learn(request);
        Device.Plan = plan;
        try
        {
            Ask(name, request, cancellationToken);
            return null;
        }
        catch (Exception e) when (IsTyped(e))
        {
            return e;
        }
        finally
        {
            Device.Plan = new FaultPlan();
        }
    }

    /// <summary>What a request costs when nothing fails: reads, submits and reaps.</summary>
    public FaultPlan Measure(TRequest request)
    {
        FaultPlan plan = new();
        if (Run($"{request} without faults", request, plan) is { } error)
            Assert.Fail($"{request} without faults: {error}");
        return plan;
    }

    /// <summary>The request, to be entered into a runner by hand: one probe for each of its parts.</summary>
    public abstract IReadOnlyList<IRequestProbe> Probe(TRequest request);

    /// <summary>
    /// The session must be whole: a request without faults has its answer, whatever is still in flight, and then everything is back.
    /// </summary>
    public void AssertHealthy(string name, TRequest request)
    {
        if (Run(name + ", and then none", request, new FaultPlan()) is { } error)
            Assert.Fail($"{name}: a request without faults failed behind it: {error}");
        AssertIdle(name);
    }

    /// <summary>Nothing is in flight once what was ended has landed.</summary>
    public virtual void AssertIdle(string name) => PipelineHealth.AssertIdle(Session.Reads, name);

    /// <summary>Opens another session in place of one that cannot go on.</summary>
    public void Reopen()
    {
        Session.Dispose();
        Session = Index.OpenSession();
    }

    public void Dispose()
    {
        Session.Dispose();
        Index.Dispose();
    }

    /// <summary>Finds out the answer when nothing fails, before the plan is in force.</summary>
    protected virtual void Learn(TRequest request)
    {
    }

    /// <summary>Asks, and compares the answer with the fault-free one.</summary>
    protected abstract void Ask(string name, TRequest request, CancellationToken cancellationToken);
}

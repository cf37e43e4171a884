using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults;

/// <summary>A session on a fault device over a simulated disk, and requests with known answers.</summary>
/// <typeparam name="TRequest">The kind of request; its text names the case.</typeparam>
internal abstract class SessionUnderTest<TRequest> : IDisposable
    where TRequest : notnull
{
    /// <param name="test">The index.</param>
    /// <param name="seed">Seed of the simulated disk.</param>
    /// <param name="openDisk">Opens another disk; null for the simulated one.</param>
    /// <param name="options">Options of the index; null for one run thread and two queries at once.</param>
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

    /// <summary>The errors that a failed read may give.</summary>
    public static bool IsTyped(Exception error) => error is VectorPipeException or TimeoutException or OperationCanceledException;

    /// <summary>Runs a request under a plan.</summary>
    /// <returns>The error; null if there was an answer, which must be the one without faults.</returns>
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

    /// <summary>The cost of a request without faults: reads, submits and reaps.</summary>
    public FaultPlan Measure(TRequest request)
    {
        FaultPlan plan = new();
        if (Run($"{request} without faults", request, plan) is { } error)
            Assert.Fail($"{request} without faults: {error}");
        return plan;
    }

    /// <summary>The parts of the request, each a probe that a test gives to a runner directly.</summary>
    public abstract IReadOnlyList<IRequestProbe> Probe(TRequest request);

    /// <summary>Asserts that a request without faults has its answer, and that all resources are back.</summary>
    public void AssertHealthy(string name, TRequest request)
    {
        if (Run(name + ", and then none", request, new FaultPlan()) is { } error)
            Assert.Fail($"{name}: the next request, without faults, failed: {error}");
        AssertIdle(name);
    }

    /// <summary>Asserts that nothing is in flight once the ended reads have landed.</summary>
    public virtual void AssertIdle(string name) => PipelineHealth.AssertIdle(Session.Reads, name);

    /// <summary>Opens another session if this one cannot go on.</summary>
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

    /// <summary>Finds the answer without faults, before the plan is in force.</summary>
    protected virtual void Learn(TRequest request)
    {
    }

    /// <summary>Runs the request and compares the answer with the one without faults.</summary>
    protected abstract void Ask(string name, TRequest request, CancellationToken cancellationToken);
}

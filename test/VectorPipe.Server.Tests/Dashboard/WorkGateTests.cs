using NUnit.Framework;
using VectorPipe.Server.Dashboard;

namespace VectorPipe.Server.Tests.Dashboard;

/// <summary>The bound of what the dashboard does at once.</summary>
[TestFixture]
public sealed class WorkGateTests
{
    [Test]
    public async Task One_runs_one_waits_and_a_third_is_refused()
    {
        using var gate = new WorkGate(running: 1, waiting: 1);
        var end = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> first = gate.RunAsync(() => end.Task, CancellationToken.None);
        bool hasBegun = false;
        Task<int> second = gate.RunAsync(Begin, CancellationToken.None);
        Assert.That(
            () => gate.RunAsync(Begin, CancellationToken.None),
            Throws.TypeOf<DashboardException>().With.Property(nameof(DashboardException.Status)).EqualTo(503));
        Assert.That(hasBegun, Is.False);
        end.SetResult(5);
        Assert.That(await first, Is.EqualTo(5));
        Assert.That(await second, Is.EqualTo(7));
        Assert.That(await gate.RunAsync(Begin, CancellationToken.None), Is.EqualTo(7), "there is room again");

        Task<int> Begin()
        {
            hasBegun = true;
            return Task.FromResult(7);
        }
    }

    [Test]
    public async Task One_that_waits_can_give_up()
    {
        using var gate = new WorkGate(running: 1, waiting: 1);
        var end = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> first = gate.RunAsync(() => end.Task, CancellationToken.None);
        using var stop = new CancellationTokenSource();
        Task<int> second = gate.RunAsync(() => Task.FromResult(7), stop.Token);
        await stop.CancelAsync();
        Assert.That(() => second, Throws.InstanceOf<OperationCanceledException>());
        end.SetResult(5);
        Assert.That(await first, Is.EqualTo(5));
        Assert.That(await gate.RunAsync(() => Task.FromResult(7), CancellationToken.None), Is.EqualTo(7));
    }
}

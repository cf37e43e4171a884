using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Uring;
using VectorPipe.Model.Open;
using VectorPipe.Pipeline;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Devices.Uring;

namespace VectorPipe.Tests.Pipeline;

/// <summary>Counts the looks of a session and the waits of its thread.</summary>
public sealed class PendingIoWaitTests
{
    private const int PollUs = 20;
    private const int Burst = 1000;

    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    [Test]
    public void A_burst_of_completions_costs_one_wait()
    {
        using SessionHarness harness = new(new PendingIoOptions { Capacity = Burst });
        for (int i = 0; i < Burst; i++)
            Assert.That(harness.Issue(i * 4096L, tag: i), Is.True);
        Assert.That(harness.Session.Drain(_second), Is.EqualTo(Burst));
        Assert.That(harness.Queue.Waits, Is.EqualTo(1));
        harness.AssertIdle();
    }

    [Test]
    public void A_burst_of_completions_costs_one_system_call_of_a_ring()
    {
        if (!OperatingSystem.IsLinux())
            Assert.Ignore("The ring's structures are read with Linux calls.");
        using PatternFile file = new(64 * 4096);
        using SimulatedUringSystem kernel = new(PatternFile.Bytes(file.Length));
        using IoUringDevice device =
            new(DeviceFiles.Open([file.Path], NullLogger.Instance), DeviceOptions.Default, NullLogger.Instance, kernel);
        using PendingIoSession session = new(device, new PendingIoOptions { Capacity = Burst });
        RecordingOwner owner = new();
        kernel.Holds = true;
        for (int i = 0; i < Burst; i++)
            Assert.That(session.TryIssue(0, i % 64 * 4096L, 4096, owner, 0, i), Is.True);
        session.Submit();
        long before = session.Counters.SystemCalls;
        Assert.That(before, Is.LessThanOrEqualTo(5), "a submit every quarter of the capacity");
        kernel.ReleaseHeld();
        Assert.That(session.Drain(_second), Is.EqualTo(Burst));
        Assert.That(session.Counters.SystemCalls - before, Is.LessThanOrEqualTo(1));
        Assert.That(owner.Landed, Has.Count.EqualTo(Burst));
    }

    [Test]
    public void A_completion_that_lands_while_polling_saves_the_wait([Values(1, 2, PollUs)] int look)
    {
        using SessionHarness harness = Polling(PollUs);
        harness.Queue.Script = read => harness.Queue.Looks < look ? ScriptedQueue.Withheld : read.Length;
        harness.Issue(0, tag: 9);
        Assert.That(harness.Session.Drain(_second), Is.EqualTo(1));
        Assert.That((harness.Queue.Looks, harness.Queue.Waits), Is.EqualTo((look, 0)));
    }

    [Test]
    public void Unsubmitted_reads_are_submitted_before_the_first_look()
    {
        using SessionHarness harness = Polling(PollUs);
        harness.Issue(0);
        Assert.That(harness.Queue.SubmitCalls, Is.Zero);
        harness.Session.Drain(_second);
        Assert.That((harness.Queue.SubmitCalls, harness.Queue.Looks, harness.Queue.Waits), Is.EqualTo((1, 1, 0)));
    }

    [Test]
    public void Polling_ends_at_its_bound_and_the_thread_waits_once([Values(1, 5, PollUs, 1000)] int pollUs)
    {
        using SessionHarness harness = Polling(pollUs);
        harness.Queue.Script = static _ => ScriptedQueue.Withheld;
        harness.Issue(0);
        Assert.That(harness.Session.Drain(_second), Is.Zero);
        Assert.That((harness.Queue.Looks, harness.Queue.Waits), Is.EqualTo((pollUs, 1)), "one look a microsecond of the test's clock");
        Land(harness);
    }

    [Test]
    public void Polling_ends_at_a_queue_that_is_faulted()
    {
        using SessionHarness harness = Polling(PollUs);
        harness.Queue.Script = _ =>
        {
            harness.Queue.IsFaulted = harness.Queue.Looks == 3;
            return ScriptedQueue.Withheld;
        };
        harness.Issue(0);
        Assert.That(harness.Session.Drain(_second), Is.Zero);
        Assert.That(harness.Queue.Looks, Is.EqualTo(3));
        Land(harness);
    }

    [Test]
    public void A_turn_that_may_not_wait_does_not_poll()
    {
        using SessionHarness harness = Polling(PollUs);
        harness.Queue.Script = static _ => ScriptedQueue.Withheld;
        harness.Issue(0);
        harness.Session.Drain(TimeSpan.Zero);
        Assert.That((harness.Queue.Looks, harness.Queue.Waits), Is.EqualTo((1, 0)));
        Land(harness);
    }

    private static SessionHarness Polling(int pollUs) =>
        new(new PendingIoOptions { Capacity = 4, PollUs = pollUs, PollClock = new SteppingClock() });

    private static void Land(SessionHarness harness)
    {
        harness.Queue.Script = static read => read.Length;
        harness.DrainAll();
    }
}

using NUnit.Framework;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Pipeline;

/// <summary>Waits submit the reads of a turn, and wait for a share of the reads in flight.</summary>
[TestFixture]
internal sealed class SubmitPolicyTests
{
    private static readonly TimeSpan _wait = TimeSpan.FromSeconds(1);

    [TestCase(1, 1)]
    [TestCase(31, 1)]
    [TestCase(32, 2)]
    [TestCase(64, 4)]
    public void A_turn_waits_for_a_sixteenth_of_the_reads_in_flight(int reads, int waitFor)
    {
        using var harness = new SessionHarness(capacity: 64);
        for (int i = 0; i < reads; i++)
            harness.Issue(i * 4096);
        harness.Session.Drain(_wait);
        Assert.That(harness.Queue.LastWaitFor, Is.EqualTo(waitFor));
        harness.DrainAll();
    }

    [Test]
    public void The_wait_submits_issued_reads_without_a_separate_submit()
    {
        using var harness = new SessionHarness(new PendingIoOptions { Capacity = 8, SubmitEvery = 8 });
        harness.Issue(0);
        Assert.That(harness.Session.Drain(_wait), Is.EqualTo(1));
        Assert.That(harness.Queue.SubmitCalls, Is.Zero);
    }

    [Test]
    public void A_turn_that_does_not_wait_submits_first()
    {
        using var harness = new SessionHarness(new PendingIoOptions { Capacity = 8, SubmitEvery = 8 });
        harness.Issue(0);
        Assert.That(harness.Session.Drain(TimeSpan.Zero), Is.EqualTo(1));
        Assert.That(harness.Queue.SubmitCalls, Is.EqualTo(1));
    }

    [Test]
    public void A_full_group_of_issued_reads_is_submitted_at_once()
    {
        using var harness = new SessionHarness(new PendingIoOptions { Capacity = 8, SubmitEvery = 3 });
        for (int i = 0; i < 7; i++)
            harness.Issue(i * 4096);
        Assert.That(harness.Queue.SubmitCalls, Is.EqualTo(2));
        Assert.That(harness.Queue.Held, Has.Count.EqualTo(6));
        harness.DrainAll();
    }

    [Test]
    public void Issued_reads_can_be_submitted_before_other_work()
    {
        using var harness = new SessionHarness(new PendingIoOptions { Capacity = 8, SubmitEvery = 8 });
        harness.Issue(0);
        harness.Session.Submit();
        harness.Session.Submit();
        Assert.That(harness.Queue.SubmitCalls, Is.EqualTo(1));
        harness.DrainAll();
    }
}

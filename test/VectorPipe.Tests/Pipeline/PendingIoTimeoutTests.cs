using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Pipeline;

[Alone]
public sealed class PendingIoTimeoutTests
{
    [Test]
    public void A_withheld_completion_fails_the_read_and_faults_the_session()
    {
        using SessionHarness harness = Withholding(capacity: 2);
        harness.Issue(4096, tag: 6);
        DrainUntilTold(harness);
        (long tag, Exception error) = harness.Owner.Failed[0];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(tag, Is.EqualTo(6));
            Assert.That(
                error, Is.TypeOf<TimeoutException>().With.Message.Contains("4096 bytes at 4096").And.Message.Contains("slot 0: Issued"));
            Assert.That(harness.Session.IsFaulted, Is.True);
            Assert.That((harness.Session.Pending, harness.Session.Free), Is.EqualTo((0, 1)));
            Assert.That(harness.Session.DescribeInFlight(), Does.Contain("1 abandoned").And.Contain("Abandoned"));
        }
    }

    [Test]
    public void The_buffer_of_an_overdue_read_is_not_reused_before_its_completion()
    {
        using SessionHarness harness = Withholding(capacity: 2);
        harness.Issue(0, tag: 1);
        DrainUntilTold(harness);
        DeviceRead late = harness.Queue.Held[0];
        harness.Queue.Script = read => ReferenceEquals(read, late) ? ScriptedQueue.Withheld : read.Length;

        // The scripted device refuses a slot or a buffer that it already holds.
        Assert.That(harness.Issue(4096, tag: 2), Is.True);
        Assert.That(harness.Issue(8192, tag: 3), Is.False, "The late op's slot is not free.");
        while (harness.Session.Pending > 0)
            harness.Session.Drain(TimeSpan.Zero);
        Assert.That(harness.Owner.Landed, Is.EqualTo(new long[] { 2 }));
    }

    [Test]
    public void A_late_completion_returns_the_op_without_a_callback()
    {
        using SessionHarness harness = Withholding(capacity: 1);
        harness.Issue(0, tag: 1);
        DrainUntilTold(harness);
        harness.Queue.Finish(harness.Queue.Held[0], 4096);
        harness.Session.Drain(TimeSpan.Zero);
        Assert.That(harness.Owner.Outcomes, Is.EqualTo(1));
        Assert.That(harness.Session.IsFaulted, Is.False);
        harness.AssertIdle();

        harness.Queue.Script = static read => read.Length;
        Assert.That(harness.Issue(4096, tag: 2), Is.True);
        while (harness.Session.Pending > 0)
            harness.Session.Drain(TimeSpan.Zero);
        Assert.That(harness.Owner.Landed, Is.EqualTo(new long[] { 2 }));
    }

    [Test]
    public void An_owner_that_throws_at_a_time_out_leaves_the_count_exact()
    {
        using SessionHarness harness = Withholding(capacity: 3);
        harness.Owner.WhenFailed = static (_, _) => throw new InvalidOperationException("mine");
        for (int i = 0; i < 3; i++)
            harness.Issue(i * 4096L, tag: i);
        long start = Stopwatch.GetTimestamp();
        while (harness.Owner.Outcomes < 3 && Stopwatch.GetElapsedTime(start) < HangBound.Patience)
        {
            int before = harness.Owner.Outcomes;
            try
            {
                harness.Session.Drain(TimeSpan.Zero);
            }
            catch (InvalidOperationException)
            {
                Assert.That(harness.Owner.Outcomes, Is.EqualTo(before + 1));
            }

            if (harness.Session.Pending != 3 - harness.Owner.Outcomes)
                Assert.Fail(harness.Session.DescribeInFlight());
        }

        Assert.That(harness.Owner.Failed.Select(failure => failure.Tag), Is.EquivalentTo(new long[] { 0, 1, 2 }));
    }

    [Test]
    public void If_every_op_is_overdue_an_issue_fails()
    {
        using SessionHarness harness = Withholding(capacity: 2);
        harness.Issue(0, tag: 1);
        harness.Issue(4096, tag: 2);
        Assert.That(harness.Issue(8192, tag: 3), Is.False, "Both may still come back.");
        long start = Stopwatch.GetTimestamp();
        while (harness.Owner.Outcomes < 2 && Stopwatch.GetElapsedTime(start) < HangBound.Patience)
            harness.Session.Drain(TimeSpan.FromMilliseconds(1));
        Assert.That(() => harness.Issue(8192, tag: 3), Throws.TypeOf<DeviceException>().With.Message.Contains("timed out"));
        harness.Queue.Finish(harness.Queue.Held[0], 4096);
        harness.Session.Drain(TimeSpan.Zero);
        Assert.That(harness.Issue(8192, tag: 3), Is.True, "One has come back late.");
    }

    [Test]
    public void A_turn_does_not_wait_beyond_the_time_out_of_a_read([Values(0, 1000)] int pollUs)
    {
        using SessionHarness harness =
            new(new PendingIoOptions { ReadTimeout = TimeSpan.FromSeconds(5), PollUs = pollUs, PollClock = new SteppingClock() });
        harness.Queue.Script = static _ => ScriptedQueue.Withheld;
        harness.Issue(0, tag: 1);
        harness.Session.Drain(TimeSpan.FromSeconds(50));
        Assert.That(harness.Queue.LastTimeout, Is.LessThanOrEqualTo(TimeSpan.FromSeconds(5)));
        harness.Session.Drain(TimeSpan.FromMilliseconds(1));
        Assert.That(harness.Queue.LastTimeout, Is.EqualTo(TimeSpan.FromMilliseconds(1)), "a shorter wait does not change");
        harness.Queue.Finish(harness.Queue.Held[0], 4096);
        harness.DrainAll();
    }

    [Test]
    public void A_read_that_landed_while_the_machine_slept_succeeds()
    {
        // The process was stopped, the laptop closed or the virtual machine moved: the clock has jumped at any point of the code.
        long nowMs = 1000;
        using SessionHarness harness = new(new PendingIoOptions { ReadTimeout = TimeSpan.FromSeconds(30), NowMs = () => nowMs });
        bool isAwake = false;
        harness.Queue.Script = read => isAwake ? read.Length : ScriptedQueue.Withheld;
        harness.Issue(0, tag: 1);
        harness.Session.Drain(TimeSpan.Zero);
        nowMs += 3_600_000;
        harness.Session.Drain(TimeSpan.Zero);
        harness.Session.Drain(TimeSpan.FromMilliseconds(1));
        Assert.That(harness.Owner.Outcomes, Is.Zero, "one look is not enough to abandon a read");
        isAwake = true;
        harness.DrainAll();
        Assert.That(harness.Owner.Landed, Is.EqualTo(new long[] { 1 }));
    }

    [Test]
    public void A_read_issued_long_after_the_last_turn_has_its_full_time()
    {
        long nowMs = 0;
        using SessionHarness harness = new(new PendingIoOptions { ReadTimeout = TimeSpan.FromSeconds(4), NowMs = () => nowMs });
        harness.Queue.Script = static _ => ScriptedQueue.Withheld;
        harness.Session.Drain(TimeSpan.Zero);
        nowMs += 900;
        harness.Issue(0, tag: 1);
        for (int ms = 0; ms < 3900; ms += 100)
        {
            nowMs += 100;
            harness.Session.Drain(TimeSpan.Zero);
            Assert.That(harness.Owner.Outcomes, Is.Zero, $"after {ms + 100} ms");
        }

        nowMs += 100;
        harness.Session.Drain(TimeSpan.Zero);
        Assert.That(harness.Owner.Failed, Has.Count.EqualTo(1));
        harness.Queue.Finish(harness.Queue.Held[0], 4096);
        harness.Session.Drain(TimeSpan.Zero);
        harness.AssertIdle();
    }

    [Test]
    public void A_wait_for_the_device_counts_in_full()
    {
        long nowMs = 0;
        using SessionHarness harness = new(new PendingIoOptions { ReadTimeout = TimeSpan.FromSeconds(4), NowMs = () => nowMs });
        harness.Queue.Script = _ =>
        {
            nowMs += (long)harness.Queue.LastTimeout.TotalMilliseconds;
            return ScriptedQueue.Withheld;
        };
        harness.Issue(0, tag: 1);
        harness.Session.Drain(TimeSpan.FromSeconds(50));
        Assert.That(harness.Owner.Failed, Has.Count.EqualTo(1), "a wait as long as a read may take");
        harness.Queue.Finish(harness.Queue.Held[0], 4096);
        harness.Session.Drain(TimeSpan.Zero);
        harness.AssertIdle();
    }

    [Test]
    public void A_reap_that_throws_leaves_unsubmitted_reads_to_the_next_turn()
    {
        using SessionHarness harness = new(new PendingIoOptions { Capacity = 2 });
        harness.Issue(0, tag: 1);
        harness.Queue.ReapError = new DeviceException("made to fail");
        Assert.That(() => harness.Session.Drain(TimeSpan.FromSeconds(1)), Throws.TypeOf<DeviceException>());
        harness.Queue.ReapError = null;
        harness.DrainAll();
        Assert.That(harness.Owner.Landed, Is.EqualTo(new long[] { 1 }));
    }

    private static SessionHarness Withholding(int capacity)
    {
        SessionHarness harness = new(new PendingIoOptions { Capacity = capacity, ReadTimeout = TimeSpan.FromMilliseconds(40) });
        harness.Queue.Script = static _ => ScriptedQueue.Withheld;
        return harness;
    }

    private static void DrainUntilTold(SessionHarness harness)
    {
        long start = Stopwatch.GetTimestamp();
        while (harness.Owner.Outcomes == 0 && Stopwatch.GetElapsedTime(start) < HangBound.Patience)
            harness.Session.Drain(TimeSpan.FromMilliseconds(1));
        Assert.That(harness.Owner.Outcomes, Is.EqualTo(1), "The read neither landed nor failed.");
    }
}

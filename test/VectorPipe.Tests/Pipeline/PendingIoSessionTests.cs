using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Pipeline;

public sealed class PendingIoSessionTests
{
    [Test]
    public void A_read_comes_back_with_its_ticket_and_tag()
    {
        using SessionHarness harness = new();
        (long Ticket, long Tag, long Offset, int Length) seen = default;
        harness.Owner.WhenRead = op =>
        {
            seen = (op.Ticket, op.Tag, op.RequestOffset, op.RequestLength);
            return PendingIoOutcome.Done;
        };
        harness.Issue(4096, 512, tag: 11, ticket: 12);
        harness.DrainAll();
        Assert.That(seen, Is.EqualTo((12L, 11L, 4096L, 512)));
    }

    [Test]
    public void Nothing_runs_inside_an_issue_or_a_submit()
    {
        using SessionHarness harness = new(new PendingIoOptions { Capacity = 4, SubmitEvery = 1 });
        harness.Issue(0);
        harness.Session.Submit();
        Assert.That(harness.Owner.Outcomes, Is.Zero);
        harness.DrainAll();
        Assert.That(harness.Owner.Outcomes, Is.EqualTo(1));
    }

    [Test]
    public void A_reissued_read_stays_counted_and_keeps_its_op()
    {
        using SessionHarness harness = new();
        HashSet<PendingIoContext> ops = [];
        List<int> pending = [];
        harness.Owner.WhenRead = op =>
        {
            ops.Add(op);
            pending.Add(harness.Session.Pending);
            if (pending.Count == 5)
                return PendingIoOutcome.Done;
            op.Redirect(0, pending.Count * 4096L, 512 * pending.Count);
            return PendingIoOutcome.Reissue;
        };
        harness.Issue(0);
        for (int turn = 0; turn < 100 && harness.Owner.Landed.Count < 5; turn++)
        {
            Assert.That(harness.Session.Pending, Is.EqualTo(1));
            harness.Session.Drain(TimeSpan.Zero);
        }

        Assert.That(ops, Has.Count.EqualTo(1));
        Assert.That(pending, Is.All.EqualTo(1));
        harness.AssertIdle();
    }

    [Test]
    public void Attempts_start_again_for_a_reissued_read()
    {
        using SessionHarness harness = new(maxAttempts: 2);
        int calls = 0;
        harness.Queue.Script = read => ++calls % 2 == 1 ? -Errno.EINTR : read.Length;
        harness.Owner.WhenRead = op =>
        {
            if (op.RequestOffset == 8192)
                return PendingIoOutcome.Done;
            op.Redirect(0, op.RequestOffset + 4096, 4096);
            return PendingIoOutcome.Reissue;
        };
        harness.Issue(0);
        harness.DrainAll();
        Assert.That(harness.Owner.Failed, Is.Empty);
        Assert.That(calls, Is.EqualTo(6));
    }

    [Test]
    public void An_owner_may_issue_from_within_a_callback()
    {
        using SessionHarness harness = new(capacity: 2);
        List<bool> issued = [];
        harness.Owner.WhenRead = op =>
        {
            if (op.Tag == 0)
                issued.AddRange([harness.Issue(4096, tag: 1), harness.Issue(8192, tag: 2)]);
            return PendingIoOutcome.Done;
        };
        harness.Issue(0);
        harness.DrainAll();
        Assert.That(issued, Is.EqualTo(new[] { true, false }), "The op in the callback still counts.");
        Assert.That(harness.Owner.Landed, Is.EqualTo(new long[] { 0, 1 }));
    }

    [Test]
    public void The_queue_of_the_device_is_the_throttle()
    {
        using SessionHarness harness = new(new PendingIoOptions { Capacity = 16 }, queueCapacity: 3);
        Assert.That(harness.Session.Capacity, Is.EqualTo(3));
        Assert.That(Enumerable.Range(0, 4).Select(i => harness.Issue(i * 4096L)), Is.EqualTo(new[] { true, true, true, false }));
        harness.DrainAll();
        Assert.That(harness.Owner.Landed, Has.Count.EqualTo(3));
    }

    [Test]
    public void Submits_happen_after_a_number_of_reads_and_at_the_end_of_a_turn()
    {
        using SessionHarness harness = new(new PendingIoOptions { Capacity = 16, SubmitEvery = 4 });
        for (int i = 0; i < 10; i++)
        {
            harness.Issue(i * 4096L);
            Assert.That(harness.Queue.SubmitCalls, Is.EqualTo((i + 1) / 4));
        }

        harness.Session.Drain(TimeSpan.Zero);
        Assert.That(harness.Queue.SubmitCalls, Is.EqualTo(3));
        harness.DrainAll();
        Assert.That(harness.Queue.SubmitCalls, Is.EqualTo(3), "A turn without new reads submits nothing.");
    }

    [Test]
    public void Reissued_reads_count_for_the_next_submit()
    {
        using SessionHarness harness = new(new PendingIoOptions { Capacity = 8, SubmitEvery = 4 });
        harness.Owner.WhenRead = op =>
        {
            if (op.RequestOffset != 0)
                return PendingIoOutcome.Done;
            op.Redirect(0, 4096, 4096);
            return PendingIoOutcome.Reissue;
        };
        for (int i = 0; i < 8; i++)
            harness.Issue(0);
        Assert.That(harness.Queue.SubmitCalls, Is.EqualTo(2));
        harness.Session.Drain(TimeSpan.Zero);
        Assert.That(harness.Queue.SubmitCalls, Is.EqualTo(4));
        harness.DrainAll();
    }

    [Test]
    public void Disposal_with_reads_in_flight_frees_the_buffers_after_the_device_returned_them()
    {
        SessionHarness harness = new();
        harness.Issue(0);
        harness.Dispose();
        Assert.That(harness.Session.BuffersAreFreed, Is.True);
        Assert.That(harness.Owner.Outcomes, Is.Zero);
    }

    [Test]
    public void Disposal_never_frees_buffers_that_the_device_may_write_to()
    {
        SessionHarness harness = new();
        harness.Queue.Script = static _ => ScriptedQueue.Withheld;
        harness.Issue(0);
        harness.Session.Drain(TimeSpan.Zero);
        DeviceRead held = harness.Queue.Held[0];
        harness.Dispose();
        Assert.That(harness.Session.BuffersAreFreed, Is.False);
        Assert.That(() => harness.Queue.Finish(held, 4096), Throws.Nothing);
    }

    [Test]
    public void A_disposed_session_refuses_work()
    {
        SessionHarness harness = new();
        harness.Dispose();
        Assert.That(harness.Dispose, Throws.Nothing);
        Assert.That(() => harness.Issue(0), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => harness.Session.Drain(TimeSpan.Zero), Throws.TypeOf<ObjectDisposedException>());
    }

    [Test]
    public void A_submit_that_fails_never_frees_a_buffer_that_the_device_holds()
    {
        using SessionHarness harness = new(new PendingIoOptions { Capacity = 2, SubmitEvery = 1 });
        int calls = 0;
        harness.Queue.Script = read => calls++ == 0 ? -Errno.EAGAIN : read.Length;
        harness.Issue(0, tag: 9);
        harness.Queue.SubmitError = new DeviceException("no submit");
        Assert.That(() => harness.Session.Drain(TimeSpan.Zero), Throws.TypeOf<DeviceException>());
        Assert.That(harness.Session.Pending, Is.EqualTo(harness.Queue.InFlight).And.EqualTo(1));
        harness.Queue.SubmitError = null;
        for (int turn = 0; turn < 10 && harness.Session.Pending > 0; turn++)
            harness.Session.Drain(TimeSpan.FromMilliseconds(1));
        Assert.That(harness.Owner.Landed, Is.EqualTo(new long[] { 9 }));
        harness.AssertIdle();
    }

    [TestCase(0, 4096, 1)]
    [TestCase(32_769, 4096, 1)]
    [TestCase(1, 0, 1)]
    [TestCase(1, 1000, 1)]
    [TestCase(1, 4096, 0)]
    public void Options_out_of_range_are_refused(int capacity, int bufferBytes, int maxAttempts) => Assert.That(
        () => new PendingIoOptions { Capacity = capacity, BufferBytes = bufferBytes, MaxAttempts = maxAttempts }.Validated(),
        Throws.TypeOf<ArgumentOutOfRangeException>());
}

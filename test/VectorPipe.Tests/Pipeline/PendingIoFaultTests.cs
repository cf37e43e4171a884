using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Pipeline;

public sealed class PendingIoFaultTests
{
    [Test]
    public void A_permanent_error_ends_after_one_read_and_keeps_its_errno()
    {
        using SessionHarness harness = new();
        harness.Queue.Script = static _ => -Errno.EIO;
        harness.Issue(8192, tag: 7);
        harness.DrainAll();
        Assert.That(harness.Owner.Failed, Has.Count.EqualTo(1));
        (long tag, Exception error) = harness.Owner.Failed[0];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(tag, Is.EqualTo(7));
            Assert.That(error, Is.TypeOf<DeviceException>().With.Property(nameof(DeviceException.ErrorNumber)).EqualTo(Errno.EIO));
            Assert.That(error.Message, Does.Contain("8192").And.Contain("EIO"));
            Assert.That(harness.Queue.EnqueueCalls, Is.EqualTo(1));
            Assert.That(harness.Owner.Landed, Is.Empty);
        }
    }

    [TestCase(Errno.EINTR)]
    [TestCase(Errno.EAGAIN)]
    public void A_transient_error_is_retried_until_the_attempts_are_used_up(int errno)
    {
        using SessionHarness harness = new(maxAttempts: 3);
        harness.Queue.Script = _ => -errno;
        harness.Issue(0);
        harness.DrainAll();
        Assert.That(harness.Owner.Failed, Has.Count.EqualTo(1));
        using (Assert.EnterMultipleScope())
        {
            Assert.That(harness.Queue.EnqueueCalls, Is.EqualTo(3));
            Assert.That(harness.Session.Retries, Is.EqualTo(2));
            Assert.That(((DeviceException)harness.Owner.Failed[0].Error).ErrorNumber, Is.EqualTo(errno));
        }
    }

    [TestCase(Errno.EAGAIN, 2)]
    [TestCase(Errno.ENOMEM, 2)]
    [TestCase(Errno.EINTR, 0)]
    public void A_lack_of_memory_is_retried_after_a_pause(int errno, int expected)
    {
        int left = 2, pauses = 0;
        using SessionHarness harness = new(new PendingIoOptions { Capacity = 4, Pause = () => pauses++ });
        harness.Queue.Script = read => left-- > 0 ? -errno : read.Length;
        harness.Issue(4096, tag: 5);
        harness.DrainAll();
        Assert.That(harness.Owner.Failed, Is.Empty);
        Assert.That(pauses, Is.EqualTo(expected));
    }

    [Test]
    public void A_session_that_fails_to_open_closes_its_queue()
    {
        using ScriptedDevice device = new();
        Assert.That(
            () => new PendingIoSession(device, new PendingIoOptions { PollClock = new NoClock() }), Throws.TypeOf<NotSupportedException>());
        Assert.That(device.Queue.IsDisposed);
    }

    [Test]
    public void The_owner_does_not_see_a_transient_error()
    {
        using SessionHarness harness = new(maxAttempts: 3);
        int left = 2;
        harness.Queue.Script = read => left-- > 0 ? -Errno.EINTR : read.Length;
        harness.Issue(4096, tag: 5);
        harness.DrainAll();
        Assert.That(harness.Owner.Failed, Is.Empty);
        Assert.That(harness.Owner.Landed, Is.EqualTo(new long[] { 5 }));
    }

    [Test]
    public void A_short_read_continues_at_an_aligned_offset_and_the_owner_sees_all_bytes()
    {
        using SessionHarness harness = new();
        List<(long Offset, int Length)> reads = [];
        harness.Queue.Script = read =>
        {
            reads.Add((read.Offset, read.Length));
            return reads.Count switch
            {
                1 => 1000,
                2 => 1536,
                _ => read.Length,
            };
        };
        harness.Issue(8192);
        harness.DrainAll();
        Assert.That(reads, Is.EqualTo(new[] { (8192L, 4096), (8704L, 3584), (10240L, 2048) }));
        Assert.That(harness.Owner.Landed, Has.Count.EqualTo(1));
    }

    [Test]
    public void Short_reads_without_end_are_an_error([Values(1, 511, 512)] int bytes)
    {
        using SessionHarness harness = new(maxAttempts: 4);
        harness.Queue.Script = _ => bytes;
        harness.Issue(0);
        harness.DrainAll();
        Assert.That(harness.Queue.EnqueueCalls, Is.EqualTo(4));
        Assert.That(harness.Owner.Landed, Is.Empty, "The owner never receives a partly filled buffer.");
        Assert.That(harness.Owner.Failed[0].Error, Is.TypeOf<DeviceException>().With.Message.Contains("short 4 times"));
    }

    [TestCase(0)]
    [TestCase(2048)]
    public void No_progress_is_an_error(int landedBefore)
    {
        using SessionHarness harness = new();
        int calls = 0;
        harness.Queue.Script = _ => calls++ == 0 ? landedBefore : 0;
        harness.Issue(0);
        harness.DrainAll();
        Assert.That(harness.Owner.Landed, Is.Empty);
        Assert.That(harness.Owner.Failed, Has.Count.EqualTo(1));
        Assert.That(
            harness.Owner.Failed[0].Error,
            Is.TypeOf<DeviceException>().With.Message.Contains($"end of the file after {landedBefore} bytes"));
    }

    [Test]
    public void An_enqueue_that_throws_counts_nothing([Range(0, 3)] int k)
    {
        using SessionHarness harness = new(capacity: 4);
        harness.Queue.Admit = call => call == k ? throw new DeviceException("no") : true;
        for (int i = 0; i < 4; i++)
        {
            long offset = i * 4096L;
            if (i == k)
                Assert.That(() => harness.Issue(offset, tag: offset), Throws.TypeOf<DeviceException>());
            else
                Assert.That(harness.Issue(offset, tag: offset), Is.True);
            int accepted = i < k ? i + 1 : i;
            Assert.That((harness.Session.Pending, harness.Session.Free), Is.EqualTo((accepted, 4 - accepted)));
        }

        Assert.That(harness.Issue(k * 4096L, tag: k * 4096L), Is.True, "The op of the failed issue can be issued again.");
        harness.DrainAll();
        Assert.That(harness.Owner.Landed, Is.EquivalentTo(new long[] { 0, 4096, 8192, 12288 }));
    }

    [Test]
    public void A_request_that_breaks_the_rules_counts_nothing([Values(0, -1, 4097)] int length)
    {
        using SessionHarness harness = new();
        Assert.That(() => harness.Issue(0, length), Throws.InstanceOf<ArgumentException>());
        harness.AssertIdle();
    }

    [Test]
    public void A_refused_issue_counts_nothing()
    {
        using SessionHarness harness = new();
        harness.Queue.Admit = static _ => false;
        Assert.That(harness.Issue(0), Is.False);
        harness.AssertIdle();
    }

    [Test]
    public void A_retry_that_the_device_does_not_take_fails_the_read([Values] bool throws)
    {
        using SessionHarness harness = new();
        harness.Queue.Script = static _ => -Errno.EAGAIN;
        harness.Queue.Admit = call => call == 0 || (throws ? throw new DeviceException("gone", Errno.EBADF) : false);
        harness.Issue(0, tag: 3);
        harness.DrainAll();
        Assert.That(harness.Owner.Failed, Has.Count.EqualTo(1));
        Assert.That(harness.Owner.Failed[0].Error, Is.TypeOf<DeviceException>().With.Message.Contains(throws ? "gone" : "refused"));
    }

    [Test]
    public void An_owner_that_throws_leaves_the_count_exact_and_the_others_served([Values] bool failed)
    {
        using SessionHarness harness = new(capacity: 4);
        harness.Queue.Script = read => failed && read.Offset == 4096 ? -Errno.EIO : read.Length;
        harness.Owner.WhenRead = op => op.Tag == 1 ? throw new InvalidOperationException("mine") : PendingIoOutcome.Done;
        harness.Owner.WhenFailed = static (_, _) => throw new InvalidOperationException("mine");
        for (int i = 0; i < 4; i++)
            harness.Issue(i * 4096L, tag: i);
        harness.Session.Submit();
        Assert.That(() => harness.Session.Drain(TimeSpan.Zero), Throws.InvalidOperationException.With.Message.EqualTo("mine"));
        Assert.That((harness.Session.Pending, harness.Session.Free), Is.EqualTo((2, 2)));
        harness.DrainAll();
        Assert.That(harness.Owner.Outcomes, Is.EqualTo(4));
    }

    [Test]
    public void Completions_out_of_order_never_mix_buffers()
    {
        using SessionHarness harness = new(capacity: 8);
        harness.Queue.Choose = static count => count - 1;
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < 8; i++)
                harness.Issue((round * 8 + i) * 4096L, tag: i);
            harness.DrainAll();
        }

        // The owner compares every byte with the file's.
        Assert.That(harness.Owner.Landed.Take(8), Is.EqualTo(new long[] { 7, 6, 5, 4, 3, 2, 1, 0 }));
        Assert.That(harness.Owner.Landed, Has.Count.EqualTo(24));
    }

    [Test]
    public void A_faulted_queue_is_a_faulted_session()
    {
        using SessionHarness harness = new();
        harness.Queue.IsFaulted = true;
        Assert.That(harness.Session.IsFaulted, Is.True);
        Assert.That(() => harness.Issue(0), Throws.TypeOf<DeviceException>());
        harness.AssertIdle();
    }

    private sealed class NoClock : TimeProvider
    {
        public override long TimestampFrequency => throw new NotSupportedException();
    }
}

using System.Runtime.Versioning;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Pipeline;
using VectorPipe.Tests.Pipeline;

namespace VectorPipe.Tests.Devices;

/// <summary>The promises of every device to a session.</summary>
internal sealed partial class DeviceConformanceTests
{
    private static readonly TimeSpan _slice = TimeSpan.FromMilliseconds(20);

    [Test]
    public void A_session_that_never_drains_keeps_memory_flat_and_refuses_reads()
    {
        const int capacity = 8;
        const int tries = 20_000;
        using PendingIoSession session = new(_device, new PendingIoOptions { Capacity = capacity });
        RecordingOwner owner = new();
        int accepted = Enumerable.Range(0, 2 * capacity).Count(i => session.TryIssue(0, i * Block, Block, owner, 0, i));
        session.Submit();
        long allocated = Allocations.OfThread(() =>
        {
            for (int i = 0; i < tries; i++)
                accepted += session.TryIssue(0, 0, Block, owner, 0, 0) ? 1 : 0;
        });
        using (Assert.EnterMultipleScope())
        {
            Assert.That((accepted, session.Pending, session.Free), Is.EqualTo((capacity, capacity, 0)));
            Assert.That(allocated, Is.Zero);
            Assert.That(owner.Outcomes, Is.Zero);
        }

        DrainAll(session);
        Assert.That(owner.Landed, Is.EquivalentTo(Enumerable.Range(0, capacity)));
        Assert.That(session.Counters.HighWater, Is.EqualTo(capacity));
    }

    [TestCase(500)]
    [TestCase(2000, Category = "Heavy")]
    public void Reads_issued_inside_a_callback_of_a_full_session_neither_recurse_nor_block(int wanted)
    {
        const int capacity = 4;
        using PendingIoSession session = new(_device, new PendingIoOptions { Capacity = capacity, SubmitEvery = 1 });
        RecordingOwner owner = new();
        int issued = 0;
        int refused = 0;
        int depth = 0;
        owner.WhenRead = op =>
        {
            Assert.That(++depth, Is.EqualTo(1), "A read was served inside another one's callback.");
            while (issued < wanted && session.TryIssue(0, issued % 250 * Block, Block, owner, 0, issued))
                issued++;
            refused += issued < wanted ? 1 : 0;
            session.Submit();
            depth--;
            if (issued == wanted || op.Tag % 3 != 0)
                return PendingIoOutcome.Done;

            // Reissued: the device owns the op again although the session is full.
            op.Tag = -1;
            op.Redirect(0, 0, Block);
            return PendingIoOutcome.Reissue;
        };
        while (session.TryIssue(0, issued * Block, Block, owner, 0, issued))
            issued++;
        DrainAll(session);
        Assert.That(issued, Is.EqualTo(wanted));
        Assert.That(refused, Is.GreaterThan(0), "The session was never full inside a callback.");
        Assert.That(owner.Landed.Where(tag => tag >= 0).ToArray(), Is.Unique.And.Length.EqualTo(wanted));
        Assert.That(session.Counters.HighWater, Is.LessThanOrEqualTo(capacity));
    }

    [TestCase(0)]
    [TestCase(1)]
    public void A_read_that_meets_the_end_of_the_file_is_an_error_after_bounded_reads(int blocksBehind)
    {
        using PendingIoSession session = new(_device, new PendingIoOptions { Capacity = 2, MaxAttempts = 4 });
        RecordingOwner owner = new();
        Assert.That(session.TryIssue(0, ((FileLength / Block) + blocksBehind) * Block, Block, owner, 0, 5), Is.True);
        DrainAll(session);
        Assert.That(owner.Landed, Is.Empty);
        Assert.That(owner.Failed, Has.Count.EqualTo(1));
        Assert.That(
            owner.Failed[0].Error,
            Is.TypeOf<DeviceException>().With.Message.Contains(blocksBehind == 0 ? "landed" : "end of the file after 0 bytes")
            .Or.Message.Contains($"end of the file after {FileLength % Block} bytes"));
        Assert.That(session.Counters.Reads, Is.LessThanOrEqualTo(4));
    }

    [Test]
    [Category("OrdinaryUser")]
    [Platform(Exclude = "Win", Reason = "Files have other permissions there.")]
    [UnsupportedOSPlatform("windows")]
    public void A_file_that_may_not_be_read_is_an_error_that_names_it()
    {
        using PatternFile secret = new(Block);
        File.SetUnixFileMode(secret.Path, UnixFileMode.None);
        if (MayRead(secret.Path))
            Assert.Ignore("This user may read every file.");
        Assert.That(
            () => DeviceFactory.Open([secret.Path], underTest.Options.Validated(), NullLogger.Instance),
            Throws.TypeOf<DeviceException>().With.Message.Contains(secret.Path));
    }

    private static bool MayRead(string path)
    {
        try
        {
            File.OpenHandle(path).Dispose();
            return true;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static void DrainAll(PendingIoSession session)
    {
        for (int turn = 0; turn < 10_000 && session.Pending > 0; turn++)
            session.Drain(_slice);
        Assert.That((session.Pending, session.Free), Is.EqualTo((0, session.Capacity)), session.DescribeInFlight());
    }
}

using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Memory;
using VectorPipe.Pipeline;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Pipeline;

[Alone]
public sealed class PendingIoSteadyStateTests
{
    private const int FileBytes = 64 * 1024;

    [Test]
    public void A_million_reissues_need_no_stack()
    {
        const int hops = 1_000_000;
        Exception? error = null;
        int seen = 0;
        var thread = new Thread(
            () =>
            {
                try
                {
                    seen = Chase(hops);
                }
                catch (Exception e)
                {
                    error = e;
                }
            },
            maxStackSize: 256 * 1024);
        thread.Start();
        Assert.That(thread.Join(TimeSpan.FromMinutes(2)), Is.True, "The chain did not end.");
        Assert.That(error, Is.Null);
        Assert.That(seen, Is.EqualTo(hops));
    }

    [Test]
    public void Reads_allocate_nothing()
    {
        using LocalMemoryDevice device = Open();
        using PendingIoSession session = new(device, new PendingIoOptions { Capacity = 32, BufferBytes = 512 });
        CountingOwner owner = new(0);
        int reads = 1000;
        Read(session, owner, reads);
        long allocated = Allocations.OfThread(() =>
        {
            reads += 100_000;
            Read(session, owner, 100_000);
        });
        Assert.That(allocated, Is.Zero);
        Assert.That(owner.Count, Is.EqualTo(reads));
    }

    [Test]
    public void Never_draining_leaves_memory_and_capacity_flat()
    {
        using LocalMemoryDevice device = Open();
        using PendingIoSession session = new(device, new PendingIoOptions { Capacity = 8, BufferBytes = 512 });
        CountingOwner owner = new(0);
        for (int i = 0; i < 8; i++)
            Assert.That(session.TryIssue(0, 0, 512, owner, 0, 0), Is.True);
        session.TryIssue(0, 0, 512, owner, 0, 0);
        int accepted = 0;
        long allocated = Allocations.OfThread(() =>
        {
            for (int i = 0; i < 100_000; i++)
                accepted += session.TryIssue(0, 0, 512, owner, 0, 0) ? 1 : 0;
        });
        using (Assert.EnterMultipleScope())
        {
            Assert.That(accepted, Is.Zero);
            Assert.That(allocated, Is.Zero);
            Assert.That(session.Pending, Is.EqualTo(8));
            Assert.That(session.Counters.Reads, Is.EqualTo(8));
        }

        Assert.That(session.Drain(TimeSpan.Zero), Is.EqualTo(8));
        Assert.That((session.Pending, session.Free, owner.Count), Is.EqualTo((0, 8, 8)));
    }

    private static int Chase(int hops)
    {
        using LocalMemoryDevice device = Open();
        using PendingIoSession session = new(device, new PendingIoOptions { Capacity = 1, BufferBytes = 512 });
        CountingOwner owner = new(hops);
        session.TryIssue(0, 0, 512, owner, 0, 0);
        while (session.Pending > 0)
            session.Drain(TimeSpan.Zero);
        return owner.Count;
    }

    private static void Read(PendingIoSession session, CountingOwner owner, int count)
    {
        for (int issued = 0; issued < count || session.Pending > 0;)
        {
            while (issued < count && session.TryIssue(0, issued % 64 * 512L, 512, owner, 0, issued))
                issued++;
            session.Drain(TimeSpan.Zero);
        }
    }

    private static LocalMemoryDevice Open() => new(PatternFile.Bytes(FileBytes), new LocalMemoryOptions(), NullLogger.Instance);

    /// <summary>Counts reads, and reissues each until it has seen <paramref name="hops"/>.</summary>
    private sealed class CountingOwner(int hops) : IPendingIoOwner
    {
        public int Count { get; private set; }

        public PendingIoOutcome OnRead(PendingIoContext op)
        {
            Count++;
            if (Count >= hops)
                return PendingIoOutcome.Done;
            op.Redirect(0, Count % 64 * 512L, 512);
            return PendingIoOutcome.Reissue;
        }

        public void OnReadFailed(PendingIoContext op, Exception error) => throw new InvalidOperationException("No read fails here.", error);
    }
}

using NUnit.Framework;
using VectorPipe.Building.Paging;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Faults;
using static VectorPipe.Tests.Building.Paging.PagingHarness;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>A lease keeps its blocks, reads ahead, and releases passed blocks.</summary>
[Platform("Linux")]
internal sealed class PageLeaseTests
{
    [Test]
    public void A_renewed_lease_keeps_its_blocks()
    {
        using var harness = new PagingHarness(blocks: 16);
        PagedRegion region = harness.CreateFilled(blocks: 40);
        using PageLease lease = harness.Memory.Rent();
        using PageLease other = harness.Memory.Rent();
        Bring(lease, region, 3);

        lease.Renew(blocks: 1);
        for (int block = 5; block < 40; block++)
            Bring(other, region, block);

        Assert.That(lease.Holds(region, 3), Is.True);
        Assert.That(Read(region, 3), Is.EqualTo(4));
    }

    [TestCase(false)]
    [TestCase(true)]
    public void A_lease_renewed_beyond_its_limit_or_share_releases_blocks(bool isShare)
    {
        using var harness = new PagingHarness(blocks: 16);
        PagedRegion region = harness.CreateFilled(blocks: 20);
        using PageLease lease = harness.Memory.Rent();
        Bring(lease, region, 3);

        lease.Renew(isShare ? harness.Memory.LeaseShare : PageLease.MostHeld);

        Assert.That(lease.Holds(region, 3), Is.False);
        Assert.That(lease.IsRunning, Is.True);
    }

    [Test]
    public void Retired_blocks_leave_memory_first()
    {
        using var harness = new PagingHarness(blocks: 8);
        PagedRegion region = harness.CreateFilled(blocks: 20);
        harness.Memory.SetCapacity(Bytes(8));
        using PageLease lease = harness.Memory.Rent();
        for (int block = 0; block < 8; block++)
            Bring(lease, region, block);

        lease.Retire(region, Bytes(6), Bytes(2));
        Bring(lease, region, 10);
        Bring(lease, region, 11);

        Assert.That(Enumerable.Range(0, 8).Where(block => region.State(block) == PagedRegion.OnDisk), Is.EquivalentTo(new[] { 6, 7 }));
    }

    [Test]
    public void Blocks_of_another_lease_are_not_retired()
    {
        using var harness = new PagingHarness(blocks: 4);
        PagedRegion region = harness.CreateFilled(blocks: 20);
        using PageLease holder = harness.Memory.Rent();
        using PageLease lease = harness.Memory.Rent();
        Bring(holder, region, 2);
        Bring(lease, region, 2);

        lease.Retire(region, Bytes(2), Bytes(1));
        for (int block = 5; block < 20; block++)
            Bring(lease, region, block);

        Assert.That(Read(region, 2), Is.EqualTo(3));
        Assert.That(region.State(2), Is.GreaterThanOrEqualTo(0));
    }

    [Test]
    public void A_block_at_the_end_of_a_range_is_not_retired_in_part()
    {
        using var harness = new PagingHarness(blocks: 4);
        PagedRegion region = harness.CreateFilled(blocks: 20);
        using PageLease lease = harness.Memory.Rent();
        Bring(lease, region, 4, 5);

        lease.Retire(region, Bytes(4), Bytes(1) + 100);

        Assert.That(region.State(4), Is.Zero);
        Assert.That(region.State(5), Is.EqualTo(lease.Ticket));
    }

    [Test]
    public void Touched_blocks_outlive_earlier_requests()
    {
        using var harness = new PagingHarness(blocks: 8);
        PagedRegion region = harness.CreateFilled(blocks: 20);
        harness.Memory.SetCapacity(Bytes(8));
        using PageLease lease = harness.Memory.Rent();
        for (int block = 0; block < 8; block++)
            Bring(lease, region, block);

        lease.Begin();
        lease.Touch(region, 0, Bytes(3));
        for (int block = 10; block < 14; block++)
            BringMore(lease, region, block);

        Assert.That(Enumerable.Range(0, 3).Select(region.State), Is.All.GreaterThanOrEqualTo(0));
    }

    [Test]
    public void Touched_blocks_outside_memory_are_hinted()
    {
        using var harness = new PagingHarness(blocks: 8);
        PagedRegion region = harness.CreateFilled(blocks: 20);
        using PageLease lease = harness.Memory.Rent();
        Bring(lease, region, 15);

        lease.Begin();
        lease.Touch(region, Bytes(1), Bytes(2));

        Assert.That(lease.Hints, Is.EquivalentTo(new[] { (region, 1), (region, 2) }));
    }

    [TestCase(FaultKind.Corrupt)]
    [TestCase(FaultKind.Zero)]
    public void A_failed_read_ahead_is_logged_and_repeated_on_demand(FaultKind kind)
    {
        var log = new RecordingLogger();
        using var harness =
            new PagingHarness(blocks: 8, openDevice: new FaultOpener(read => read == 0 ? new Fault(kind) : default).Open, logger: log);
        PagedRegion region = harness.CreateFilled(blocks: 20);
        using (PageLease lease = harness.Memory.Rent())
        {
            lease.Begin();
            lease.Hint(region, Bytes(3), Bytes(1));
            lease.Prefetch();
        }

        Assert.That(log.Messages, Has.One.Contains("table could not be read ahead"));
        Assert.That(region.State(3), Is.EqualTo(PagedRegion.OnDisk));
        using PageLease other = harness.Memory.Rent();
        Bring(other, region, 3);
        Assert.That(Read(region, 3), Is.EqualTo(4));
    }
}

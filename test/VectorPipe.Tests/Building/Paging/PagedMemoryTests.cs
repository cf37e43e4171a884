using NUnit.Framework;
using VectorPipe.Building.Paging;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Faults;
using static VectorPipe.Tests.Building.Paging.PagingHarness;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>The promises of paged memory to its leases.</summary>
[Platform("Linux")]
internal sealed class PagedMemoryTests
{
    [Test]
    public void Unwritten_blocks_are_zeros()
    {
        using var harness = new PagingHarness(blocks: 2);
        PagedRegion region = harness.Create(blocks: 9);
        using PageLease lease = harness.Memory.Rent();

        for (int block = 0; block < 9; block++)
        {
            Bring(lease, region, block);
            Assert.That(Read(region, block), Is.Zero);
        }

        Assert.That(harness.Memory.BytesWritten + harness.Memory.BytesRead, Is.Zero, "zeros take no room in a file");
    }

    [Test]
    public void Written_blocks_come_back()
    {
        using var harness = new PagingHarness(blocks: 3);
        PagedRegion region = harness.CreateFilled(blocks: 20);
        using PageLease lease = harness.Memory.Rent();

        for (int block = 19; block >= 0; block--)
        {
            Bring(lease, region, block);
            Assert.That(Read(region, block), Is.EqualTo(block + 1));
        }
    }

    [Test]
    public void A_table_in_a_row_that_ends_within_a_block_is_whole()
    {
        using var harness = new PagingHarness(blocks: 2);
        PagedRegion region = harness.Memory.Create("odd", Bytes(2) + 1);

        Assert.That(region.BlockCount, Is.EqualTo(3));
    }

    [Test]
    public void A_lower_capacity_takes_effect_at_once()
    {
        using var harness = new PagingHarness(blocks: 10);
        PagedRegion region = harness.Create(blocks: 10);
        using PageLease lease = harness.Memory.Rent();
        Bring(lease, region, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        lease.End();

        harness.Memory.SetCapacity(Bytes(4));

        Assert.That(harness.Memory.ResidentBytes, Is.EqualTo(Bytes(4)));
    }

    [Test]
    public void Held_blocks_stay_in_memory()
    {
        using var harness = new PagingHarness(blocks: 4);
        PagedRegion region = harness.Create(blocks: 30);
        region.Hold(Bytes(28), Bytes(2));
        Write(region, 28, 7);
        Write(region, 29, 8);
        using PageLease lease = harness.Memory.Rent();

        for (int block = 0; block < 28; block++)
        {
            Bring(lease, region, block);
            Write(region, block, 1);
        }

        Assert.That((region.State(28), region.State(29)), Is.EqualTo((PagedRegion.Held, PagedRegion.Held)));
        Assert.That((Read(region, 28), Read(region, 29)), Is.EqualTo((7L, 8L)));
        Assert.That(harness.Memory.ResidentBytes, Is.LessThanOrEqualTo(Bytes(4)));
    }

    [Test]
    public void Holding_more_than_the_capacity_is_refused()
    {
        using var harness = new PagingHarness(blocks: 3);
        PagedRegion region = harness.Create(blocks: 9);

        Assert.That(() => region.Hold(0, Bytes(4)), Throws.InvalidOperationException);
        Assert.That(harness.Memory.ResidentBytes, Is.LessThanOrEqualTo(Bytes(3)));
    }

    [Test]
    public void A_lease_of_more_than_the_capacity_fails()
    {
        using var harness = new PagingHarness(blocks: 4);
        PagedRegion region = harness.Create(blocks: 5);
        Watchdog.Run("one lease", () =>
        {
            using PageLease lease = harness.Memory.Rent();
            Assert.That(
                () => Bring(lease, region, 0, 1, 2, 3, 4), Throws.InvalidOperationException.With.Message.Contains($"{Bytes(4):N0} bytes"));
        });
    }

    [Test]
    public void Two_workers_that_exceed_the_capacity_do_not_hang()
    {
        using var harness = new PagingHarness(blocks: 7);
        PagedRegion region = harness.Create(blocks: 10);
        using var bothHold = new Barrier(2);
        int failed = 0;
        Watchdog.Run("two workers", () => Parallel.For(0, 2, new ParallelOptions { MaxDegreeOfParallelism = 2 }, worker =>
        {
            using PageLease lease = harness.Memory.Rent();
            Bring(lease, region, worker * 5, worker * 5 + 1, worker * 5 + 2);
            bothHold.SignalAndWait();
            try
            {
                BringMore(lease, region, worker * 5 + 3, worker * 5 + 4);
            }
            catch (InvalidOperationException)
            {
                Interlocked.Increment(ref failed);
            }
        }));

        Assert.That(failed, Is.EqualTo(1), "the other one has room as soon as the first has ended");
    }

    [Test]
    public void Two_leases_of_a_thread_that_fill_the_capacity_do_not_hang()
    {
        using var harness = new PagingHarness(blocks: 4);
        PagedRegion region = harness.Create(blocks: 8);
        Watchdog.Run("two leases of a thread", () =>
        {
            using PageLease view = harness.Memory.Rent();
            using PageLease search = harness.Memory.Rent();
            Bring(view, region, 0, 1);
            Assert.That(() => Bring(search, region, 2, 3, 4), Throws.InvalidOperationException);
        });
    }

    [Test]
    public void A_long_lease_keeps_its_own_blocks_and_no_others()
    {
        using var harness = new PagingHarness(blocks: 5);
        PagedRegion region = harness.CreateFilled(blocks: 40);
        harness.Memory.SetCapacity(Bytes(5));
        Watchdog.Run("a long lease", () =>
        {
            using PageLease view = harness.Memory.Rent();
            using PageLease search = harness.Memory.Rent();
            Bring(view, region, 0, 1);
            for (int block = 2; block < 40; block++)
            {
                // Both leases request block 1; it stays for the view when the search goes on.
                Bring(search, region, block, 1);
                Assert.That(Read(region, block), Is.EqualTo(block + 1));
                Assert.That((Read(region, 0), Read(region, 1)), Is.EqualTo((1L, 2L)), "the view's");
            }

            BringMore(view, region, 20, 30);
            Assert.That((Read(region, 20), Read(region, 30)), Is.EqualTo((21L, 31L)));
        });
    }

    [Test]
    public void A_block_that_a_later_lease_requested_first_stays_for_an_earlier_one()
    {
        using var harness = new PagingHarness(blocks: 4);
        PagedRegion region = harness.CreateFilled(blocks: 40);
        harness.Memory.SetCapacity(Bytes(4));
        Watchdog.Run("an earlier lease", () =>
        {
            using PageLease early = harness.Memory.Rent();
            using PageLease late = harness.Memory.Rent();
            early.Begin();
            Bring(late, region, 7);
            BringMore(early, region, 7);
            for (int block = 10; block < 40; block++)
            {
                Bring(late, region, block, block - 1);
                Assert.That(Read(region, 7), Is.EqualTo(8));
            }
        });
    }

    [Test]
    public void Hints_load_blocks_that_fit_up_to_a_limit()
    {
        using var harness = new PagingHarness(blocks: 6000);
        PagedRegion region = harness.CreateFilled(blocks: 5000);
        harness.Memory.SetCapacity(Bytes(6000));
        using PageLease lease = harness.Memory.Rent();
        lease.Begin();
        lease.Hint(region, 0, Bytes(5000));
        lease.Prefetch();
        WaitForReads(lease);

        Assert.That(harness.Memory.ResidentBytes, Is.EqualTo(Bytes(PageLease.MaxHints)));
        Assert.That(lease.TryHold(region, 0, Bytes(1)), Is.True);
        Assert.That(Read(region, 0), Is.EqualTo(1));
        Assert.That(lease.TryHold(region, Bytes(4999), Bytes(1)), Is.False);
    }

    private static void WaitForReads(PageLease lease)
    {
        while (lease.IsReading)
            lease.Begin();
    }

    [Test]
    public void Hints_never_wait_or_evict_requested_blocks()
    {
        using var harness = new PagingHarness(blocks: 6);
        PagedRegion region = harness.CreateFilled(blocks: 60);
        harness.Memory.SetCapacity(Bytes(6));
        Watchdog.Run("hints", () =>
        {
            using PageLease lease = harness.Memory.Rent();
            Bring(lease, region, 0, 1, 2, 3);
            lease.Hint(region, Bytes(10), Bytes(40));
            lease.Prefetch();
            while (lease.IsReading)
                harness.Memory.Pump(lease, TimeSpan.FromSeconds(1));
            Assert.That(harness.Memory.ResidentBytes, Is.EqualTo(Bytes(6)), "two of forty had room");

            // Requested blocks replace blocks that were only hinted.
            BringMore(lease, region, 4, 5);
            for (int block = 0; block < 6; block++)
                Assert.That(Read(region, block), Is.EqualTo(block + 1));
        });
    }

    [Test]
    public void A_block_that_fails_to_be_written_keeps_its_content_and_is_written_later([Values] bool shortWrite)
    {
        int cases = 0;
        for (; ; cases++)
        {
            var io = new FaultyStorageIo(shortWrite ? StorageFault.ShortWrite : StorageFault.DiskFull, 2 + cases);
            using var harness = new PagingHarness(blocks: 3, io);
            PagedRegion region = harness.Create(blocks: 30);
            using PageLease lease = harness.Memory.Rent();
            int failures = 0;
            for (int block = 0; block < 30; block++)
            {
                failures += TryBring(lease, region, block) ? 0 : 1;
                Write(region, block, block + 1);
            }

            for (int block = 0; block < 30; block++)
            {
                failures += TryBring(lease, region, block) ? 0 : 1;
                Assert.That(Read(region, block), Is.EqualTo(block + 1), $"{io.Failed}");
            }

            Assert.That(failures, Is.EqualTo(io.Failed is null ? 0 : 1), $"{io.Failed}");
            if (io.Failed is null)
                break;
        }

        Assert.That(cases, Is.GreaterThan(5));
    }

    [Test]
    public void A_scratch_file_that_cannot_be_made_is_a_typed_error_and_leaves_nothing()
    {
        for (int k = 0; k < 2; k++)
        {
            using var harness = new PagingHarness(blocks: 3, new FaultyStorageIo(StorageFault.DiskFull, k));
            Assert.That(() => harness.Create(blocks: 3), Throws.TypeOf<IndexWriteException>().With.Message.Contains("No space left"));
            Assert.That(harness.FileNames, Is.Empty);
        }
    }

    [Test]
    public void A_disposed_table_returns_its_room_and_its_file()
    {
        using var harness = new PagingHarness(blocks: 4);
        PagedRegion gone = harness.Create(blocks: 4, "gone");
        PagedRegion stays = harness.Create(blocks: 4, "stays");
        using PageLease lease = harness.Memory.Rent();
        Bring(lease, gone, 0, 1, 2);
        Write(gone, 1, 1);
        Bring(lease, stays, 3);
        gone.Dispose();
        gone.Dispose();

        Assert.That(harness.Memory.ResidentBytes, Is.EqualTo(Bytes(1)));
        Assert.That(harness.FileNames, Is.EqualTo(new[] { "stays" }));
    }

    // After an error it fetches the requested blocks once more.
    private static bool TryBring(PageLease lease, PagedRegion region, int block)
    {
        try
        {
            Bring(lease, region, block);
            return true;
        }
        catch (IndexWriteException e)
        {
            Assert.That(e.Message, Does.Contain(region.Path));
            lease.Fetch();
            return false;
        }
    }
}

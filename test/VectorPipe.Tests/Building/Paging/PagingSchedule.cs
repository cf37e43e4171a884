using NUnit.Framework;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Native;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>A seeded schedule of workers over some tables. Each worker has a slot of its own in every block.</summary>
internal sealed unsafe class PagingSchedule : IDisposable
{
    private const int Rounds = 60;

    private static readonly int _slotBytes = PagedMemory.BlockBytes / 4;
    private static readonly int _slotLongs = _slotBytes / sizeof(long);

    private readonly int _seed;
    private readonly int _workers;
    private readonly int _mostHeld;
    private readonly int _capacity;
    private readonly PagingHarness _harness;
    private readonly PagedRegion[] _regions;
    private readonly PagedRegion _held;

    // The last value that each worker wrote into its slot of each block.
    private readonly long[][][] _written;

    /// <param name="seed">The seed of all random choices.</param>
    /// <param name="workers">Threads, at most three.</param>
    /// <param name="room">Capacity as a multiple of what all workers may hold together.</param>
    /// <param name="reserved">Reserves memory; null for the system's way.</param>
    public PagingSchedule(int seed, int workers, double room, IReservedMemory? reserved = null)
    {
        var random = new Random(seed);
        _seed = seed;
        _workers = workers;
        _mostHeld = random.Next(1, 9);
        int heldForGood = random.Next(4);
        _capacity = heldForGood + (int)(workers * _mostHeld * room);
        _harness = new PagingHarness(_capacity, reserved: reserved);
        _regions = [
            .. Enumerable.Range(0, random.Next(1, 5))
            .Select(i => _harness.Memory.Create($"table-{i}", random.NextInt64(1, PagingHarness.Bytes(40))))];
        _held = _harness.Create(4, "held");
        if (heldForGood > 0)
            _held.Hold(0, PagingHarness.Bytes(heldForGood));
        for (int block = 0; block < heldForGood; block++)
            PagingHarness.Write(_held, block, block + 1);
        _written = [.. Enumerable.Range(0, workers).Select(_ => _regions.Select(region => new long[region.BlockCount]).ToArray())];
        HeldForGood = heldForGood;
    }

    private int HeldForGood { get; }

    public override string ToString() =>
        $"{_regions.Length} tables of {_regions.Sum(region => region.BlockCount)} blocks, room for {_capacity}, {_mostHeld} held by a "
        + $"worker, {HeldForGood} for good";

    public void Run()
    {
        using var start = new Barrier(_workers);
        var threads = new Thread[_workers];
        var errors = new Exception?[_workers];
        for (int i = 0; i < _workers; i++)
        {
            int worker = i;
            threads[i] = new Thread(() =>
            {
                try
                {
                    start.SignalAndWait();
                    Work(worker, new Random(_seed + worker));
                }
                catch (Exception e)
                {
                    errors[worker] = e;
                }
            })
            { IsBackground = true };
            threads[i].Start();
        }

        foreach (Thread thread in threads)
            thread.Join();
        Assert.That(errors, Is.All.Null, $"seed {_seed}, {this}");
        for (int block = 0; block < HeldForGood; block++)
            Assert.That((_held.State(block), PagingHarness.Read(_held, block)), Is.EqualTo((PagedRegion.Held, (long)block + 1)));
        CheckAll();
    }

    public void Dispose()
    {
        _harness.Memory.Dispose();
        if (_harness.FileNames.Length > 0)
            throw new InvalidOperationException($"scratch files are left: {string.Join(' ', _harness.FileNames)}");
        _harness.Dispose();
    }

    private void Work(int worker, Random random)
    {
        using PageLease lease = _harness.Memory.Rent();
        var mine = new Dictionary<(int Region, int Block), long[]>();
        for (int round = 0; round < Rounds; round++)
        {
            lease.Begin();
            mine.Clear();
            while (random.Next(4) > 0)
                Step(worker, random, lease, mine);
            Check(worker, mine);
            if (random.Next(8) == 0)
                lease.End();
        }
    }

    private void Step(int worker, Random random, PageLease lease, Dictionary<(int Region, int Block), long[]> mine)
    {
        int asked = random.Next(1, _mostHeld + 1);
        for (int i = 0; i < asked && mine.Count < _mostHeld; i++)
        {
            (int region, int block) = Choose(random);
            lease.Ask(_regions[region], PagingHarness.Bytes(block) + random.Next(PagedMemory.BlockBytes), 1);
            mine.TryAdd((region, block), new long[_workers]);
        }

        for (int i = random.Next(4); i > 0; i--)
        {
            (int region, int block) = Choose(random);
            lease.Hint(_regions[region], PagingHarness.Bytes(block), 1);
        }

        if (random.Next(2) == 0)
            lease.Prefetch();
        lease.Fetch();
        Assert.That(_harness.Memory.ResidentBytes, Is.LessThanOrEqualTo(PagingHarness.Bytes(_capacity)));
        (int kept, int keptBlock) = Choose(random);
        if (mine.Count < _mostHeld && lease.TryHold(_regions[kept], PagingHarness.Bytes(keptBlock), 1))
            mine.TryAdd((kept, keptBlock), new long[_workers]);
        Check(worker, mine);
        foreach ((int region, int block) in mine.Keys)
        {
            if (random.Next(2) > 0)
                continue;
            Slot(_regions[region], block, worker).Fill(++_written[worker][region][block]);
            _regions[region].MarkDirty(PagingHarness.Bytes(block) + worker * _slotBytes, _slotBytes);
        }
    }

    // This worker's value is the last one that it wrote; the values of others never go back.
    private void Check(int worker, Dictionary<(int Region, int Block), long[]> mine)
    {
        foreach (((int region, int block), long[] seen) in mine)
        {
            Assert.That(_regions[region].State(block), Is.GreaterThanOrEqualTo(0), "a block that is held is in memory");
            for (int other = 0; other < _workers; other++)
            {
                Span<long> slot = Slot(_regions[region], block, other);
                long found = Volatile.Read(ref slot[0]);
                Assert.That(found, Is.GreaterThanOrEqualTo(seen[other]), $"block {block} of table {region}, slot {other}");
                seen[other] = found;
                if (other == worker)
                    Assert.That(
                        slot.IndexOfAnyExcept(_written[worker][region][block]), Is.EqualTo(-1),
                        $"block {block} of table {region}: expected {_written[worker][region][block]}, found {found}");
            }
        }
    }

    private void CheckAll()
    {
        using PageLease lease = _harness.Memory.Rent();
        for (int region = 0; region < _regions.Length; region++)
        {
            for (int block = 0; block < _regions[region].BlockCount; block++)
            {
                PagingHarness.Bring(lease, _regions[region], block);
                for (int worker = 0; worker < _workers; worker++)
                    Assert.That(
                        Slot(_regions[region], block, worker).IndexOfAnyExcept(_written[worker][region][block]), Is.EqualTo(-1),
                        $"block {block} of table {region} in the end");
            }
        }
    }

    private (int Region, int Block) Choose(Random random)
    {
        // Half of all requests go to a few blocks, so that workers meet.
        int region = random.Next(_regions.Length);
        int blocks = _regions[region].BlockCount;
        return (region, random.Next(2) == 0 ? random.Next(Math.Min(blocks, 3)) : random.Next(blocks));
    }

    private static Span<long> Slot(PagedRegion region, int block, int worker) =>
        new(region.Pointer + PagingHarness.Bytes(block) + worker * _slotBytes, _slotLongs);
}

using NUnit.Framework;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Faults;
using static VectorPipe.Tests.Building.Paging.PagingHarness;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>A fault in a read of a scratch file gives the right bytes, or a typed error and then the bytes.</summary>
[Platform("Linux")]
internal sealed class PagedReadFaultTests
{
    private const int Blocks = 48;

    private readonly List<FaultDevice> _devices = [];

    private static IEnumerable<TestCaseData> Failures => EachRead(FaultKind.Errno, FaultKind.Zero, FaultKind.Corrupt);

    private static IEnumerable<TestCaseData> Transients => EachRead(FaultKind.Short, FaultKind.Delay, FaultKind.Duplicate);

    // Each read meets one of the kinds; the other combinations are heavy.
    private static IEnumerable<TestCaseData> EachRead(params FaultKind[] kinds) =>
        from kind in Enumerable.Range(0, kinds.Length)
        from read in Enumerable.Range(0, 6)
        let data = new TestCaseData(kinds[kind], read)
        select read % kinds.Length == kind ? data : data.SetCategory("Heavy");

    [SetUp]
    public void Forget() => _devices.Clear();

    [TestCaseSource(nameof(Failures))]
    public void A_read_that_fails_is_a_typed_error_and_the_next_try_brings_the_bytes(FaultKind kind, int read)
    {
        Type expected = kind == FaultKind.Corrupt ? typeof(IndexCorruptException) : typeof(DeviceException);
        Watchdog.Run($"{kind} at read {read}", () =>
        {
            using PagingHarness harness =
                Open(out PagedRegion region, FaultPlan.At(read, new Fault(kind, kind == FaultKind.Errno ? Errno.EIO : 4321)));
            using PageLease lease = harness.Memory.Rent();

            Assert.That(
                () => Bring(lease, region, [.. Enumerable.Range(0, Blocks)]), Throws.TypeOf(expected).With.Message.Contains(region.Path));
            Assert.That(harness.Memory.ResidentBytes, Is.LessThan(Bytes(Blocks)), "failed blocks take no room");

            SetPlan(new FaultPlan());
            lease.Fetch();
            AssertAll(region);
        });
    }

    [TestCaseSource(nameof(Transients))]
    public void Transient_faults_do_not_show(FaultKind kind, int read) =>
        Watchdog.Run($"{kind} at read {read}", () =>
        {
            using PagingHarness harness =
                Open(out PagedRegion region, FaultPlan.At(read, new Fault(kind, kind == FaultKind.Short ? 5000 : 3)));
            using PageLease lease = harness.Memory.Rent();
            Bring(lease, region, [.. Enumerable.Range(0, Blocks)]);
            AssertAll(region);
        });

    [Test]
    public void A_read_that_the_device_does_not_take_is_tried_again([Range(0, 5)] int enqueue) =>
        Watchdog.Run($"refused at {enqueue}", () =>
    {
        using PagingHarness harness = Open(out PagedRegion region, new FaultPlan { OnEnqueue = n => n != enqueue });
        using PageLease lease = harness.Memory.Rent();
        Bring(lease, region, [.. Enumerable.Range(0, Blocks)]);
        AssertAll(region);
    });

    [Test]
    public void A_device_that_takes_nothing_is_an_error() => Watchdog.Run("refused for ever", () =>
    {
        using PagingHarness harness = Open(out PagedRegion region, new FaultPlan { OnEnqueue = _ => false });
        using PageLease lease = harness.Memory.Rent();
        Assert.That(() => Bring(lease, region, 0, 5), Throws.TypeOf<DeviceException>().With.Message.Contains(region.Path));
        SetPlan(new FaultPlan());
        lease.Fetch();
        Assert.That((Read(region, 0), Read(region, 5)), Is.EqualTo((1L, 6L)));
    });

    [Test]
    public void A_device_that_throws_leaves_no_read_that_lands_later(
        [Values(FaultStep.Enqueue, FaultStep.Submit, FaultStep.Reap)] FaultStep step, [Range(0, 3)] int k) =>
        Watchdog.Run($"{step} {k}", () =>
    {
        using PagingHarness harness =
            Open(out PagedRegion region, FaultPlan.At(step, k, () => throw new DeviceException("made to fail", Errno.ENXIO)));
        using PageLease lease = harness.Memory.Rent();
        bool failed = false;
        try
        {
            Bring(lease, region, [.. Enumerable.Range(0, Blocks)]);
        }
        catch (DeviceException)
        {
            failed = true;
        }

        SetPlan(new FaultPlan());
        if (failed)
            Assert.That(harness.Memory.ResidentBytes, Is.LessThan(Bytes(Blocks)));
        lease.Fetch();
        AssertAll(region);

        // A late read does not overwrite a newer change.
        for (int block = 0; block < Blocks; block++)
            Write(region, block, -2 - block);
        lease.Begin();
        for (int block = 0; block < Blocks; block++)
            BringMore(lease, region, block);
        for (int block = 0; block < Blocks; block++)
            Assert.That(Read(region, block), Is.EqualTo(-2 - block));
    });

    [Test]
    public void A_device_that_cannot_be_opened_is_a_typed_error()
    {
        using var harness = new PagingHarness(Blocks, openDevice: (paths, _, _) => throw new DeviceException($"cannot open {paths[0]}"));
        PagedRegion region = harness.CreateFilled(Blocks);
        using PageLease lease = harness.Memory.Rent();
        Assert.That(() => Bring(lease, region, 3), Throws.TypeOf<DeviceException>().With.Message.Contains(region.Path));
    }

    [Test]
    public void Any_mixture_of_faults_ends_in_the_right_bytes_or_a_typed_error([Range(0, 9)] int seed) => RunMixture(seed);

    [Test]
    [Category("Heavy")]
    public void Any_mixture_of_many_ends_in_the_right_bytes_or_a_typed_error([Range(10, 39)] int seed) => RunMixture(seed);

    private void RunMixture(int seed) => Watchdog.Run($"seed {seed}", () =>
    {
        using PagingHarness harness = Open(out PagedRegion region, FaultPlan.Random(seed, FaultRates.Mixture(seed)));
        var random = new Random(seed);
        using PageLease lease = harness.Memory.Rent();
        for (int round = 0; round < 30; round++)
        {
            int[] blocks = [.. Enumerable.Range(0, random.Next(1, 12)).Select(_ => random.Next(Blocks))];
            try
            {
                Bring(lease, region, blocks);
            }
            catch (VectorPipeException e) when (e is DeviceException or IndexCorruptException)
            {
                continue;
            }

            foreach (int block in blocks)
                Assert.That(Read(region, block), Is.EqualTo(block + 1), $"round {round}");
        }
    });

    [TestCase(FaultKind.Errno)]
    [TestCase(FaultKind.Corrupt)]
    public void A_waiting_worker_reads_the_block_itself_when_another_fails_to(FaultKind kind) => Watchdog.Run($"{kind}", () =>
    {
        int reads = 0;
        using PagingHarness harness = Open(
            out PagedRegion region, null,
            () => new FaultPlan { OnRead = (_, _) => Interlocked.Increment(ref reads) % 3 == 0 ? new Fault(kind, Errno.EIO) : default });
        int failed = 0, succeeded = 0;
        using var start = new Barrier(3);
        Parallel.For(0, 3, new ParallelOptions { MaxDegreeOfParallelism = 3 }, worker =>
        {
            using PageLease lease = harness.Memory.Rent();
            start.SignalAndWait();
            for (int round = 0; round < 40; round++)
            {
                int block = round % Blocks;
                try
                {
                    Bring(lease, region, block, (block + 1 + worker) % Blocks);
                    Assert.That(Read(region, block), Is.EqualTo(block + 1));
                    Interlocked.Increment(ref succeeded);
                }
                catch (VectorPipeException)
                {
                    Interlocked.Increment(ref failed);
                }
            }
        });
        Assert.That(failed, Is.GreaterThan(0));
        Assert.That(succeeded, Is.GreaterThan(0));
    });

    private PagingHarness Open(out PagedRegion region, FaultPlan? plan, Func<FaultPlan>? eachPlan = null)
    {
        var harness = new PagingHarness(Blocks, openDevice: (paths, options, logger) =>
        {
            var device = new FaultDevice(DeviceFactory.Open(paths, options, logger)) { Plan = plan ?? eachPlan!() };
            _devices.Add(device);
            return device;
        });
        region = harness.CreateFilled(Blocks);
        harness.Memory.SetCapacity(0);
        harness.Memory.SetCapacity(Bytes(Blocks));
        return harness;
    }

    private void SetPlan(FaultPlan plan) => _devices.ForEach(device => device.Plan = plan);

    private static void AssertAll(PagedRegion region)
    {
        for (int block = 0; block < Blocks; block++)
            Assert.That(Read(region, block), Is.EqualTo(block + 1));
    }
}

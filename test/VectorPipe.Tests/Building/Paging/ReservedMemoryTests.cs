using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Space;
using VectorPipe.Building.Shuffling;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>Paged tables keep to their memory in the ways of Windows and macOS, too.</summary>
[Platform("Linux")]
internal sealed class ReservedMemoryTests
{
    private static IEnumerable<TestCaseData> Ways =>
    [
        new TestCaseData(new LinuxReservedMemory()).SetArgDisplayNames("Linux"),
        new TestCaseData(new MappedReservedMemory()).SetArgDisplayNames("macOS"),
        new TestCaseData(new StrictMemory()).SetArgDisplayNames("Windows"),
    ];

    [TestCaseSource(nameof(Ways))]
    public unsafe void What_was_given_back_is_zero_when_it_is_taken_again(object way)
    {
        var reserved = (IReservedMemory)way;
        int page = Environment.SystemPageSize;
        byte* memory = reserved.Reserve(8L * page);
        try
        {
            for (int round = 1; round <= 3; round++)
            {
                for (int i = 0; i < 8; i += 2)
                {
                    reserved.Take(memory + (i * page), page);
                    var bytes = new Span<byte>(memory + (i * page), page);
                    Assert.That(bytes.ContainsAnyExcept((byte)0), Is.False, $"round {round}, page {i}");
                    bytes.Fill((byte)round);
                }

                for (int i = 0; i < 8; i += 2)
                    reserved.GiveBack(memory + (i * page), page);
            }
        }
        finally
        {
            reserved.Free(memory, 8L * page);
        }
    }

    [Test]
    public unsafe void Memory_that_is_given_back_is_no_longer_the_processs([Values(true, false)] bool isLinux)
    {
        IReservedMemory reserved = isLinux ? new LinuxReservedMemory() : new MappedReservedMemory();
        const long length = 64 << 20;
        byte* memory = reserved.Reserve(length);
        try
        {
            reserved.Take(memory, length);
            new Span<byte>(memory, (int)length).Fill(1);
            long full = ResidentBytes(memory);
            reserved.GiveBack(memory, length);
            Assert.That((full, ResidentBytes(memory)), Is.EqualTo((length, 0L)));
        }
        finally
        {
            reserved.Free(memory, length);
        }
    }

    [TestCaseSource(nameof(Ways))]
    public void Nothing_is_lost_and_nothing_vanishes_while_it_is_held(object way)
    {
        Random seeds = RandomizedTest.Start();
        for (int i = 0; i < 4; i++)
        {
            int seed = seeds.Next();
            using var schedule = new PagingSchedule(seed, workers: 2, room: 1.5, (IReservedMemory)way);
            Watchdog.Run($"seed {seed}, {schedule}", schedule.Run);
        }
    }

    [Test]
    public void A_graph_is_built_of_memory_that_was_taken_and_of_no_more_than_the_budget()
    {
        TestVectors vectors = TestVectors.Clustered(
            DistanceMetric.L2, VectorElementType.UInt8, dimension: 100, count: 900, queries: 0, seed: 3);
        var parameters = new GraphParameters(MaxDegree: 24, ListSize: 40, Alpha: 1.2f, Threads: 2, Seed: 7);
        var options = new PartitionedOptions { LeafSize = 50, NearLeaves = 24, Probes = 8, NearCandidates = 32, KeptNearest = 0 };
        var strict = new StrictMemory();
        using var folder = new TemporaryFolder();
        var memory = new PagedMemory(
            folder.Path, name => name, new DeviceOptions(), FileStorageIo.Instance, NullLogger.Instance, openDevice: null, strict);
        long budget = 130L * PagedMemory.BlockBytes;
        memory.SetCapacity(budget);
        using (var space = new BuildSpace(
            memory, purpose => new ShufflePaths(Path.Combine(folder.Path, purpose), Path.Combine(folder.Path, purpose + "-offsets"))))
        {
            var report = new GraphReport();
            using BuiltGraph built = new PartitionedBuilder(options, space)
                .Build(vectors.ToPointTable(memory), parameters, report, progress: null, CancellationToken.None);
            Assert.That(report.Reachable, Is.EqualTo(900));
            Assert.That(strict.TakenBytes, Is.EqualTo(memory.ResidentBytes).And.LessThanOrEqualTo(budget).And.GreaterThan(0));
        }

        Assert.That((strict.TakenBytes, strict.Reserved), Is.EqualTo((0L, 0)));
    }

    [Test]
    public void A_block_for_which_there_is_no_memory_fails_its_lease_and_can_be_asked_for_again()
    {
        var strict = new StrictMemory { Room = 2 };
        using var harness = new PagingHarness(blocks: 4, reserved: strict);
        PagedRegion region = harness.Create(4);
        using PageLease lease = harness.Memory.Rent();
        Assert.That(() => PagingHarness.Bring(lease, region, 0, 1, 2), Throws.TypeOf<InsufficientMemoryException>());
        strict.Room = 4;
        PagingHarness.Bring(lease, region, 0, 1, 2, 3);
        for (int block = 0; block < 4; block++)
            PagingHarness.Write(region, block, block + 1);
        Assert.That(Enumerable.Range(0, 4).Select(block => PagingHarness.Read(region, block)), Is.EqualTo(new[] { 1, 2, 3, 4 }));
    }

    // The mapping that begins there, as the kernel counts it.
    private static unsafe long ResidentBytes(byte* memory)
    {
        string start = $"{(nint)memory:x}-";
        string resident = File.ReadLines("/proc/self/smaps").SkipWhile(line => !line.StartsWith(start, StringComparison.Ordinal))
            .First(line => line.StartsWith("Rss:", StringComparison.Ordinal));
        return long.Parse(resident.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], null) << 10;
    }
}

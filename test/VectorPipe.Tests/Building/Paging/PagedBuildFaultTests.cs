using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging;
using NUnit.Framework;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>Faults in scratch files of a paged build give a typed error, no file and no waiting thread.</summary>
[Platform("Linux")]
internal sealed class PagedBuildFaultTests
{
    private const int Count = 1200;
    private const int Seed = 20271;

    private static readonly PartitionedOptions _options = new()
    {
        LeafSize = 40,
        NearLeaves = 6,
        Probes = 3,
        NearCandidates = 24,
        LevelSamples = 16,
        LevelCandidates = 4,
        RefineExpansions = 4,
        RefineList = 24,
        RepairRounds = 1,
        CheckedPoints = 100,
    };

    private static readonly TestVectors _vectors =
        TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 1000, Count, queries: 0, Seed);

    private readonly Dictionary<int, int> _operations = [];

    private int[][] _expected = [];
    private int _writes;

    [OneTimeSetUp]
    public void BuildInMemory()
    {
        using BuiltGraph graph = new PartitionedBuilder(_options)
            .Build(_vectors.ToPointTable(), Parameters(1), new GraphReport(), progress: null, CancellationToken.None);
        _expected = [.. Enumerable.Range(0, Count).Select(row => graph.Links.Links(row).ToArray())];
    }

    [TestCase(1, 20, Category = "Heavy")]
    [TestCase(3, 2)]
    [TestCase(3, 80, Category = "Heavy")]
    public void A_read_that_fails_ends_the_build_with_a_typed_error(int threads, int cases)
    {
        int reads = 0;
        Run(threads, FileStorageIo.Instance, Opener(_ => Count(ref reads)));
        Assert.That(reads, Is.GreaterThan(15), "scratch files are read");
        FaultKind[] kinds = [FaultKind.Errno, FaultKind.Corrupt, FaultKind.Zero];
        for (int i = 0; i < cases; i++)
        {
            // The number of reads differs a little between runs of several threads.
            int failAt = (int)((i + 0.5) / cases * reads * 0.9);
            FaultKind kind = kinds[i % kinds.Length];
            int read = -1;
            DeviceOpener opener = Opener(
                _ => Interlocked.Increment(ref read) == failAt ? new Fault(kind, kind == FaultKind.Errno ? Errno.EIO : 77) : default);
            Watchdog.Run($"{kind} at read {failAt} of {reads}, {threads} threads", () =>
            {
                var log = new RecordingLogger();
                Exception? error = Run(threads, FileStorageIo.Instance, opener, checks: true, logger: log);

                // A failed read-ahead that nobody needed is only logged, and the graph is right.
                if (error is not null || !log.Messages.Exists(message => message.Contains("read ahead", StringComparison.Ordinal)))
                    Assert.That(
                        error, kind == FaultKind.Corrupt ? Is.TypeOf<IndexCorruptException>() : Is.TypeOf<DeviceException>(),
                        $"{kind} at read {failAt}");
            });
        }

        static Fault Count(ref int reads)
        {
            Interlocked.Increment(ref reads);
            return default;
        }
    }

    [TestCase(1, Category = "Heavy")]
    [TestCase(3)]
    public void Reads_that_come_short_or_late_or_twice_change_nothing(int threads)
    {
        int opened = 0;
        DeviceOpener opener = (paths, options, logger) =>
            new FaultDevice(DeviceFactory.Open(paths, options, logger))
            {
                Plan = Synchronized(
                new Random(Seed + Interlocked.Increment(ref opened)))
            };
        Watchdog.Run($"{threads} threads", () => Assert.That(Run(threads, FileStorageIo.Instance, opener, checks: true), Is.Null));

        static FaultPlan Synchronized(Random random) => new()
        {
            OnRead = (_, read) =>
            {
                lock (random)
                    return new FaultRates { Short = 0.01, Transient = 0.01, Delay = 0.2, Duplicate = 0.05 }.Draw(random, read);
            },
        };
    }

    [TestCase(1, 20, Category = "Heavy")]
    [TestCase(3, 2)]
    [TestCase(3, 150, Category = "Heavy")]
    public void A_write_that_fails_ends_the_build_with_a_typed_error(int threads, int cases)
    {
        int operations = CountOperations(threads);
        Assert.That(operations, Is.GreaterThan(30), "blocks are written out");
        StorageFault[] faults = [StorageFault.DiskFull, StorageFault.ShortWrite, StorageFault.IoError];
        int reached = 0;
        for (int i = 0; i < cases; i++)
        {
            var io = new FaultyStorageIo(faults[i % faults.Length], (int)((i + 0.5) / cases * operations * 0.9), always: i % 2 == 0);
            Watchdog.Run($"case {i}, {threads} threads", () =>
            {
                bool IsOfDeletion() => io.Failed?.Contains("delete", StringComparison.Ordinal) ?? false;
                Exception? error = Run(threads, io, null, mayLeaveFiles: () => io.Failed is not null && (IsOfDeletion() || i % 2 == 0));
                Assert.That(
                    error,
                    io.Failed is null ? Is.Null
                    : IsOfDeletion() ? Is.Null.Or.TypeOf<IndexWriteException>()
                    : Is.TypeOf<IndexWriteException>(),
                    io.Failed);
                reached += io.Failed is null ? 0 : 1;
            });
        }

        // Runs of several threads evict different blocks: one may write less than the counted run.
        Assert.That(reached, Is.GreaterThanOrEqualTo(threads == 1 ? cases : cases * 0.9), "operations fail");
    }

    [TestCase(ScratchDamage.FlippedBit, 2)]
    [TestCase(ScratchDamage.LostWrite, 1)]
    [TestCase(ScratchDamage.CutFile, 1)]
    [TestCase(ScratchDamage.MissingFile, 1)]
    [TestCase(ScratchDamage.CutFile, 40, Category = "Heavy")]
    [TestCase(ScratchDamage.MissingFile, 40, Category = "Heavy")]
    [TestCase(ScratchDamage.FlippedBit, 150, Category = "Heavy")]
    [TestCase(ScratchDamage.LostWrite, 150, Category = "Heavy")]
    public void Damaged_scratch_files_are_detected_or_not_needed(ScratchDamage damage, int cases)
    {
        if (_writes == 0)
        {
            var counting = new DamagingStorageIo(damage, int.MaxValue);
            Assert.That(Run(1, counting, null), Is.Null);
            _writes = counting.Writes;
        }

        int found = 0;
        for (int i = 0; i < cases; i++)
        {
            // The first case is the first write: nothing reads its file before, whichever thread is faster.
            var io = new DamagingStorageIo(damage, (int)((double)i / cases * _writes));
            Watchdog.Run($"{damage} {i}", () =>
            {
                Exception? error = Run(1, io, null, checks: true);
                Assert.That(error, Is.Null.Or.TypeOf<IndexCorruptException>().Or.TypeOf<DeviceException>(), io.Damaged);
                found += error is null ? 0 : 1;
            });
        }

        // An open file can be read when its name is gone; only that of the first write is surely not open yet.
        int least = damage == ScratchDamage.MissingFile ? 0 : cases / 3;
        Assert.That(found, Is.GreaterThan(least), "most writes are read again");
    }

    [TestCase(1, 20, Category = "Heavy")]
    [TestCase(3, 1)]
    [TestCase(3, 100, Category = "Heavy")]
    public void A_cancellation_at_any_operation_soon_ends_the_build(int threads, int cases)
    {
        int operations = CountOperations(threads);
        for (int i = 0; i < cases; i++)
        {
            using var cancellation = new CancellationTokenSource();
            var io = new HookedStorageIo((int)((i + 0.5) / cases * operations * 0.8), cancellation.Cancel);
            Watchdog.Run($"case {i}, {threads} threads", () =>
                Assert.That(
                    Run(threads, io, null, cancellationToken: cancellation.Token), Is.InstanceOf<OperationCanceledException>(),
                    $"case {i} of {cases}"));
        }
    }

    // Storage operations of a build, counted once for each number of threads.
    private int CountOperations(int threads)
    {
        if (!_operations.TryGetValue(threads, out int operations))
        {
            var counting = new HookedStorageIo(int.MaxValue, () => { });
            Assert.That(Run(threads, counting, null), Is.Null);
            _operations[threads] = operations = counting.Operations;
        }

        return operations;
    }

    private static DeviceOpener Opener(Func<DeviceRead, Fault> onRead) => (paths, options, logger) =>
        new FaultDevice(DeviceFactory.Open(paths, options, logger)) { Plan = new FaultPlan { OnRead = (_, read) => onRead(read) } };

    private static GraphParameters Parameters(int threads) => new(MaxDegree: 16, ListSize: 30, Alpha: 1.2f, threads, Seed: 7);

    /// <summary>Builds with room for a fraction of the tables; returns the error after everything is closed.</summary>
    private Exception? Run(
        int threads, IStorageIo io, DeviceOpener? opener, bool checks = false, Func<bool>? mayLeaveFiles = null, ILogger? logger = null,
        CancellationToken cancellationToken = default)
    {
        using var folder = new TemporaryFolder();
        Exception? error = null;
        try
        {
            // Dividing and shuffling need room for all rows at once; the other stages get room for links and vectors, not for the records.
            long bytes = PagingHarness.Bytes(260);
            long allBytes = PagingHarness.Bytes(1000);
            var memory = new PagedMemory(
                folder.Path, name => name, new DeviceOptions { Kind = DeviceKind.Portable }, io, logger ?? NullLogger.Instance, opener);
            memory.SetCapacity(allBytes);
            using var space = new BuildSpace(
                memory, purpose => new ShufflePaths(Path.Combine(folder.Path, purpose), Path.Combine(folder.Path, purpose + "-offsets")));
            var builder = new PartitionedBuilder(_options,
                space)
            { PagedBytes = phase => phase is PartitionPhase or LeafOrderPhase or InLinkPhase ? allBytes : bytes };
            using BuiltGraph graph =
                builder.Build(_vectors.ToPointTable(memory), Parameters(threads), new GraphReport(), progress: null, cancellationToken);
            if (checks)
                AssertSame(graph);
        }
        catch (AggregateException e)
        {
            error = e.InnerExceptions.OrderBy(inner => inner is OperationCanceledException).First();
        }
        catch (Exception e) when (e is VectorPipeException or OperationCanceledException)
        {
            error = e;
        }

        if (mayLeaveFiles is null || !mayLeaveFiles())
            Assert.That(folder.FileNames, Is.Empty, error?.Message);
        return error;
    }

    private void AssertSame(BuiltGraph graph)
    {
        using GraphView view = graph.OpenView();
        for (int row = 0; row < Count; row++)
        {
            view.Begin();
            if (!view.Links(row).SequenceEqual(_expected[row]))
                Assert.That(view.Links(row).ToArray(), Is.EqualTo(_expected[row]), $"row {row}, seed {Seed}");
        }
    }
}

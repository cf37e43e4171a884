using NUnit.Framework;
using NUnit.Framework.Constraints;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Errors;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Building.Paging;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>A build of merged pages with few tables in memory gives the same bytes or a typed error.</summary>
[Platform("Linux")]
internal sealed class PagedMergedBuildTests
{
    private static readonly MergedBuildHarness _harness = new(VectorElementType.UInt8, 100);

    private static readonly Dictionary<string, byte[]> _expected = _harness.BuildInMemory(1);

    private readonly Dictionary<int, int> _operations = [];

    // The first write from the packing of pages on, and the write after the last one before the files are written.
    private (int First, int End) _writes;

    [TestCase(VectorElementType.UInt8, 3, 120)]
    [TestCase(VectorElementType.Float32, 1, 60)]
    [TestCase(VectorElementType.UInt8, 1, 40, Category = "Heavy")]
    [TestCase(VectorElementType.UInt8, 2, 4000, Category = "Heavy")]
    [TestCase(VectorElementType.Float32, 3, 150, Category = "Heavy")]
    public void The_files_are_the_same_with_any_memory(VectorElementType type, int threads, int blocks)
    {
        // Pages hold float32 vectors as float16; a file of their own holds the originals.
        var harness = new MergedBuildHarness(type, dimension: 100) { PagedBytes = (long)blocks * PagedMemory.BlockBytes };
        Dictionary<string, byte[]> built = harness.BuildPaged(threads, FileStorageIo.Instance, null, out string[] scratch);
        AssertSame(built, type == VectorElementType.UInt8 ? _expected : harness.BuildInMemory(2));
        Assert.That(scratch, Is.Empty);
        if (threads == 1)
            Assert.That(harness.BytesRead, Is.GreaterThan(0), "memory does not hold the tables");
    }

    [TestCase(VectorElementType.UInt8, 1, 40)]
    [TestCase(VectorElementType.Float32, 2, 60, Category = "Heavy")]
    public void The_files_with_room_for_later_nodes_are_the_same_with_any_memory(VectorElementType type, int threads, int blocks)
    {
        var harness = new MergedBuildHarness(type, dimension: 100, withRoom: true) { PagedBytes = (long)blocks * PagedMemory.BlockBytes };
        AssertSame(harness.BuildPaged(threads, FileStorageIo.Instance, null, out _), harness.BuildInMemory(2));
    }

    [Test]
    public void Smaller_chunks_are_the_same_in_memory_and_paged()
    {
        var harness = new MergedBuildHarness(VectorElementType.UInt8, 100) { ChunkRows = 400 };
        AssertSame(harness.BuildPaged(2, FileStorageIo.Instance, null, out _), harness.BuildInMemory(1));
    }

    [TestCase(1, 20, Category = "Heavy")]
    [TestCase(3, 1)]
    [TestCase(3, 60, Category = "Heavy")]
    public void A_read_that_fails_ends_the_build_with_a_typed_error(int threads, int cases)
    {
        int reads = 0;
        Run(
            threads, FileStorageIo.Instance, Opener(() => Interlocked.Increment(ref reads) < 0 ? new Fault(FaultKind.Zero, 0) : default),
            out _);
        Assert.That(reads, Is.GreaterThan(15), "scratch files are read");
        FaultKind[] kinds = [FaultKind.Errno, FaultKind.Corrupt, FaultKind.Zero];
        for (int i = 0; i < cases; i++)
        {
            // The reads of table blocks depend on the order of the threads: 17 to 53 with three threads.
            // The reads of shuffles, some 290, do not.
            int failAt = (int)((i + 0.5) / cases * reads * 0.8), read = -1;
            FaultKind kind = kinds[i % kinds.Length];
            DeviceOpener opener = Opener(
                () => Interlocked.Increment(ref read) == failAt ? new Fault(kind, kind == FaultKind.Errno ? Errno.EIO : 77) : default);
            Watchdog.Run($"{kind} at read {failAt} of {reads}, {threads} threads", () =>
            {
                Exception? error = Run(threads, FileStorageIo.Instance, opener, out string[] scratch, checks: true);

                Assert.That(Volatile.Read(ref read), Is.AtLeast(failAt), "the fault was met");
                IResolveConstraint expected = kind == FaultKind.Corrupt ? Is.TypeOf<IndexCorruptException>() : Is.TypeOf<DeviceException>();

                // Where threads share blocks, one that was read ahead may be dropped before anybody needs it: then nothing is wrong.
                if (threads == 1 || error is not null)
                    Assert.That(error, expected, $"{kind} at read {failAt}");
                Assert.That(scratch, Is.Empty, error?.Message);
            });
        }
    }

    [TestCase(1, 20, Category = "Heavy")]
    [TestCase(3, 1)]
    [TestCase(3, 150, Category = "Heavy")]
    public void A_write_that_fails_ends_the_build_with_a_typed_error(int threads, int cases)
    {
        int operations = CountOperations(threads);
        StorageFault[] faults = [StorageFault.DiskFull, StorageFault.ShortWrite, StorageFault.IoError];
        for (int i = 0; i < cases; i++)
        {
            // From the shuffle of the graph's first links on.
            var io = new FaultyStorageIo(faults[i % faults.Length], (int)((0.3 + 0.65 * (i + 0.5) / cases) * operations));
            Watchdog.Run($"case {i}, {threads} threads", () =>
            {
                Exception? error = Run(threads, io, null, out string[] scratch);
                bool isDelete = io.Failed!.Contains("delete", StringComparison.Ordinal);
                Assert.That(error, isDelete ? Is.Null.Or.TypeOf<IndexWriteException>() : Is.TypeOf<IndexWriteException>(), io.Failed);
                if (!isDelete)
                    Assert.That(scratch, Is.Empty, io.Failed);
            });
        }
    }

    /// <summary>Writes are damaged, one in each build.</summary>
    /// <param name="damage">The damage.</param>
    /// <param name="every">One in this many writes is damaged: all of them in the heavy cases.</param>
    [TestCase(ScratchDamage.FlippedBit, 9)]
    [TestCase(ScratchDamage.LostWrite, 8)]
    [TestCase(ScratchDamage.CutFile, 7)]
    [TestCase(ScratchDamage.FlippedBit, 1, Category = "Heavy")]
    [TestCase(ScratchDamage.LostWrite, 1, Category = "Heavy")]
    [TestCase(ScratchDamage.CutFile, 1, Category = "Heavy")]
    public void Damaged_scratch_files_are_detected_or_not_needed(ScratchDamage damage, int every)
    {
        if (_writes.End == 0)
            _writes = CountWrites();
        (int first, int end) = _writes;
        Assert.That(end - first, Is.GreaterThan(3), "tables leave memory, and requests are shuffled");
        int found = 0, cases = 0;
        for (int write = first + every / 2; write < end; write += every, cases++)
        {
            var io = new DamagingStorageIo(damage, write);
            Watchdog.Run($"{damage} of write {write}", () =>
            {
                Exception? error = Run(1, io, null, out _, checks: true);
                Assert.That(error, Is.Null.Or.TypeOf<IndexCorruptException>().Or.TypeOf<DeviceException>(), io.Damaged);
                found += error is null ? 0 : 1;
            });
        }

        Assert.That(found, Is.GreaterThan(cases / 3), $"most of {cases} writes are read again");
    }

    [Test]
    public void A_cancellation_in_any_phase_leaves_no_scratch_files([Values("graph", "pack", "rank", "write")] string phase)
    {
        using var cancellation = new CancellationTokenSource();
        var harness = new MergedBuildHarness(VectorElementType.UInt8, 100)
        {
            OnPhase = begun =>
            {
                if (begun == phase)
                    cancellation.Cancel();
            },
        };
        string[] scratch = ["unknown"];
        Watchdog.Run(
            phase,
            () =>
            Assert.That(
                () => harness.BuildPaged(2, FileStorageIo.Instance, null, out scratch, cancellation.Token),
                Throws.InstanceOf<OperationCanceledException>()));
        Assert.That(scratch, Is.Empty);
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
            var io = new HookedStorageIo((int)((0.3 + 0.5 * (i + 0.5) / cases) * operations), cancellation.Cancel);
            Watchdog.Run($"case {i}, {threads} threads", () =>
            {
                Assert.That(
                    Run(threads, io, null, out string[] scratch, cancellationToken: cancellation.Token),
                    Is.InstanceOf<OperationCanceledException>(), $"case {i} of {cases}");
                Assert.That(scratch, Is.Empty);
            });
        }
    }

    private static (int First, int End) CountWrites()
    {
        int first = 0, end = 0;
        var counting = new DamagingStorageIo(ScratchDamage.LostWrite, int.MaxValue);
        var counted = new MergedBuildHarness(VectorElementType.UInt8, 100)
        {
            OnPhase = phase => (first, end) = (phase == "pack" ? counting.Writes : first, phase == "write" ? counting.Writes : end),
        };
        counted.BuildPaged(1, counting, null, out _);
        return (first, end);
    }

    // Storage operations of a build, counted once for each number of threads.
    private int CountOperations(int threads)
    {
        if (!_operations.TryGetValue(threads, out int operations))
        {
            var counting = new HookedStorageIo(int.MaxValue, () => { });
            Assert.That(Run(threads, counting, null, out _), Is.Null);
            _operations[threads] = operations = counting.Operations;
        }

        return operations;
    }

    private static DeviceOpener Opener(Func<Fault> onRead) => (paths, options, logger) =>
        new FaultDevice(DeviceFactory.Open(paths, options, logger)) { Plan = new FaultPlan { OnRead = (_, _) => onRead() } };

    private static Exception? Run(
        int threads, IStorageIo io, DeviceOpener? opener, out string[] scratch, bool checks = false,
        CancellationToken cancellationToken = default)
    {
        string[] left = [];
        try
        {
            Dictionary<string, byte[]> built = _harness.BuildPaged(threads, io, opener, out left, cancellationToken);
            if (checks)
                AssertSame(built, _expected);
            return null;
        }
        catch (AggregateException e)
        {
            return e.InnerExceptions.OrderBy(inner => inner is OperationCanceledException).First();
        }
        catch (Exception e) when (e is VectorPipeException or OperationCanceledException)
        {
            return e;
        }
        finally
        {
            scratch = left;
        }
    }

    private static void AssertSame(Dictionary<string, byte[]> built, Dictionary<string, byte[]> expected)
    {
        Assert.That(built.Keys, Is.EquivalentTo(expected.Keys));
        foreach ((string name, byte[] bytes) in expected)
            Assert.That(built[name].AsSpan().SequenceEqual(bytes), Is.True, $"{name}, seed {MergedBuildHarness.Seed}");
    }
}

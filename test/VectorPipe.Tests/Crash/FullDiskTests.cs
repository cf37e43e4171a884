using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Indexes;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Formats;
using VectorPipe.Tests.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>A build notices before its work that the disk has no room, and the previous index stays.</summary>
public sealed class FullDiskTests
{
    [Test]
    public void A_build_that_does_not_fit_fails_before_a_vector_is_read([Values] bool first)
    {
        using var index = new ReplacedIndex();
        Dictionary<string, byte[]> before = first ? [] : new(index.Old);
        index.Restore(before);
        var large = new SmallStorageIo(long.MaxValue);
        index.Build(large);
        foreach (long room in RoomBelow(large.Reserved))
        {
            index.Restore(before);
            CountingSource source = new(index.NewVectors());
            Assert.That(
                () => index.Build(source, new SmallStorageIo(room)),
                Throws.TypeOf<IndexWriteException>().With.Message.Contains(index.Directory), $"room for {room} bytes");
            Assert.That(source.Reads, Is.Zero, $"room for {room} bytes");
            if (first)
            {
                Assert.That(Directory.Exists(index.Directory), Is.False, $"room for {room} bytes");
                continue;
            }

            Dictionary<string, byte[]> after = index.Snapshot();
            after.Remove(WriteLock.Name);
            before.Remove(WriteLock.Name);
            Assert.That(after.Keys, Is.EquivalentTo(before.Keys), $"room for {room} bytes");
            foreach ((string name, byte[] bytes) in before)
                Assert.That(after[name].AsSpan().SequenceEqual(bytes), Is.True, $"{name}, room for {room} bytes");
            Assert.That(index.Examine($"room for {room} bytes"), Is.EqualTo(IndexOutcome.Old));
        }
    }

    [Test]
    public void A_build_takes_no_more_room_than_it_reserves_and_the_manifest()
    {
        using var index = new ReplacedIndex();
        var large = new SmallStorageIo(long.MaxValue);
        index.Build(large);
        Assert.That(large.Peak, Is.InRange(large.Reserved, large.Reserved + PageCodec.PageUnit));
        index.Restore(index.Old);
        index.Build(new SmallStorageIo(large.Peak));
        Assert.That(index.Examine("room for all"), Is.EqualTo(IndexOutcome.New));
    }

    [TestCase(64L << 20, IndexKind.Graph)]
    [TestCase(64L << 20, IndexKind.Ivf)]
    [TestCase(null, IndexKind.Ivf)]
    [Platform("Linux")]
    public void A_build_whose_scratch_files_do_not_fit_fails_before_a_vector_is_read(long? memoryBudget, IndexKind kind)
    {
        using var index = new ReplacedIndex(memoryBudget, kind);
        BuildPlan plan = index.Plan();
        Assert.That(plan.ScratchBytes, Is.Positive);
        foreach (long room in new[] { plan.IndexBytes, plan.IndexBytes + plan.ScratchBytes / 2, plan.IndexBytes + plan.ScratchBytes - 1 })
        {
            index.Restore(index.Old);
            CountingSource source = new(index.NewVectors());
            Assert.That(
                () => index.Build(source, new SmallStorageIo(room)),
                Throws.TypeOf<IndexWriteException>().With.Message.Contains($"{plan.ScratchBytes:N0} bytes"), $"room for {room} bytes");
            Assert.That(source.Reads, Is.Zero, $"room for {room} bytes");
            Assert.That(index.Examine($"room for {room} bytes"), Is.EqualTo(IndexOutcome.Old));
            index.AssertNoLeftovers($"room for {room} bytes");
        }

        index.Restore(index.Old);
        index.Build(new SmallStorageIo(plan.IndexBytes + plan.ScratchBytes + PageCodec.PageUnit));
        Assert.That(index.Examine("room for all"), Is.EqualTo(IndexOutcome.New));
    }

    [Test]
    public void An_import_that_does_not_fit_fails_before_it_reads_a_vector()
    {
        using var folder = new TemporaryFolder();
        string prefix = new DiskAnnTestFiles(VectorElementType.UInt8, 16, 8, 40, 5).Write(folder);
        var large = new SmallStorageIo(long.MaxValue);
        Import(large);
        Directory.Delete(folder.File("index"), recursive: true);
        foreach (long room in RoomBelow(large.Reserved))
        {
            var progress = new CountingProgress();
            Assert.That(() => Import(new SmallStorageIo(room), progress), Throws.TypeOf<IndexWriteException>(), $"room for {room} bytes");
            Assert.That(progress.Reports, Is.Zero, $"room for {room} bytes");
            Assert.That(Directory.Exists(folder.File("index")), Is.False, $"room for {room} bytes");
        }

        void Import(IStorageIo io, IProgress<BuildProgress>? progress = null) =>
            new DiskAnnImporter(folder.File("index"), null, io)
            .ImportAsync(prefix, elementType: VectorElementType.UInt8, progress: progress).GetAwaiter().GetResult();
    }

    [Test]
    public void A_disk_that_is_full_fails_a_build_before_a_vector_is_read()
    {
        using var folder = new TemporaryFolder();
        using SmallDisk disk = SmallDisk.MountOrIgnore(folder.File("disk"), "64k");
        CountingSource source = new(VectorSource.FromMemory<byte>(new byte[1000 * 64], 64));
        string directory = Path.Combine(disk.Path, "index");
        Assert.That(
            () => new VectorIndexBuilder(directory).BuildAsync(source).GetAwaiter().GetResult(),
            Throws.TypeOf<IndexWriteException>().With.Message.Contains("full"));
        Assert.That((source.Reads, Directory.Exists(directory)), Is.EqualTo((0, false)));
    }

    [Test]
    public void The_next_build_deletes_scratch_files_of_a_killed_one()
    {
        using var index = new ReplacedIndex();
        string scratch = Path.Combine(index.Directory, IndexDirectory.ScratchName("vectors", 2));
        File.WriteAllBytes(scratch, [1]);
        index.Build();
        Assert.That(File.Exists(scratch), Is.False);
        Assert.That(index.Examine("after a left-over scratch file"), Is.EqualTo(IndexOutcome.New));
    }

    [Test]
    public void A_build_that_fails_deletes_its_scratch_files()
    {
        using var index = new ReplacedIndex();
        string scratch = Path.Combine(index.Directory, IndexDirectory.ScratchName("vectors", 2));
        var source = new FailingSource(index.NewVectors(), () => File.WriteAllBytes(scratch, [1]));
        Assert.That(() => index.Build(source, FileStorageIo.Instance), Throws.TypeOf<InvalidVectorException>());
        Assert.That(File.Exists(scratch), Is.False);
        Assert.That(index.Examine("after a build that failed"), Is.EqualTo(IndexOutcome.Old));
    }

    [Test]
    public void Every_write_of_a_build_keeps_the_rules_of_direct_writes()
    {
        using var index = new ReplacedIndex();
        var io = new DirectRulesStorageIo();
        index.Build(io);
        Assert.That(io.DirectWrites, Is.EqualTo(10), "pages and header of five files");
    }

    private static IEnumerable<long> RoomBelow(long bytes) => Enumerable.Range(0, 8).Select(i => bytes * i / 8).Append(bytes - 1);

    private sealed class CountingProgress : IProgress<BuildProgress>
    {
        public int Reports { get; private set; }

        public void Report(BuildProgress value) => Reports++;
    }

    private sealed class FailingSource(VectorSource inner, Action before) : VectorSource
    {
        public override VectorElementType ElementType => inner.ElementType;

        public override int Dimension => inner.Dimension;

        public override long Count => inner.Count;

        public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
        {
            before();
            throw new InvalidVectorException("The source has failed.");
        }
    }
}

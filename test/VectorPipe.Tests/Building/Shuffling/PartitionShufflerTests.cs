using NUnit.Framework;
using VectorPipe.Building.Shuffling;
using VectorPipe.Storage.Scratch;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Building.Shuffling;

[TestFixture]
internal sealed class PartitionShufflerTests
{
    // Each pair of a number of partitions and of memory has one of the row sizes; the other combinations are heavy.
    private static IEnumerable<TestCaseData> Cases =>
        from partitionCount in new[] { 1, 2, 7, 1024, 65_537 }
        from memory in new long[] { 1, 5_000, 100_000, 10_000_000 }.Index()
        from rowBytes in new[] { 4, 33 }
        let data = new TestCaseData(partitionCount, memory.Item, rowBytes)
        select (partitionCount + memory.Index + rowBytes) % 2 == 0 ? data : data.SetCategory("Heavy");

    [TestCaseSource(nameof(Cases))]
    public void Every_row_comes_back_in_its_partition_and_in_order(int partitionCount, long memoryBytes, int rowBytes)
    {
        // With one row a group, each group costs an offset for every partition.
        int rowCount = memoryBytes > 1 ? 3_001 : partitionCount > 2_000 ? 20 : 301;
        using var harness = new ShuffleHarness(rowBytes, partitionCount, memoryBytes);
        uint[] partitions = RandomPartitions(rowCount, partitionCount, seed: 3);
        ShuffledLayout layout = harness.Write(partitions, rowsPerCall: 700);

        using ShuffledPartitions shuffled = harness.Read(layout);
        AssertRows(harness.ReadAll(shuffled, windowBytes: 40_000), partitions);
    }

    [Test]
    public void Partitions_larger_than_a_read_are_put_together([Values] bool oneGroup)
    {
        const int rowBytes = 1000, rowCount = 5_000;
        using var harness = new ShuffleHarness(rowBytes, 3, oneGroup ? 10_000_000 : 1_500_000);
        uint[] partitions = RandomPartitions(rowCount, 3, seed: 4);
        ShuffledLayout layout = harness.Write(partitions, rowsPerCall: rowCount);
        Assert.That(layout.GroupCount, Is.EqualTo(oneGroup ? 1 : 4));

        using ShuffledPartitions shuffled = harness.Read(layout, DeviceKind.Auto);
        AssertRows(harness.ReadAll(shuffled, windowBytes: long.MaxValue), partitions);
    }

    [Test]
    public void A_window_holds_partitions_that_fit_and_at_least_one()
    {
        using var harness = new ShuffleHarness(10, 4, 1000);
        using ShuffledPartitions shuffled = harness.Read(harness.Write([0, 0, 1, 3, 3, 3], rowsPerCall: 6));

        Assert.That(shuffled.WindowEnd(0, 1), Is.EqualTo(1));
        Assert.That(shuffled.WindowEnd(0, 30), Is.EqualTo(3), "the next partition is empty and fits too");
        Assert.That(shuffled.WindowEnd(1, 1000), Is.EqualTo(4));
        Assert.That(shuffled.RowsOf(1, 4), Is.EqualTo(4));
    }

    [Test]
    public void Partitions_that_are_loaded_together_are_shown_one_by_one()
    {
        const int partitionCount = 50, first = 7, end = 31;
        using var harness = new ShuffleHarness(4, partitionCount, 5_000);
        uint[] partitions = RandomPartitions(3_000, partitionCount, seed: 6);
        using ShuffledPartitions shuffled = harness.Read(harness.Write(partitions, rowsPerCall: 700));
        shuffled.Load(first, end);
        for (int partition = first; partition < end; partition++)
        {
            int[] expected = [.. Enumerable.Range(0, partitions.Length).Where(row => partitions[row] == partition)];
            Assert.That(shuffled.Loaded<int>(partition).ToArray(), Is.EqualTo(expected), $"partition {partition}");
        }

        Assert.That(() => shuffled.Loaded<int>(first - 1).Length, Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => shuffled.Loaded<int>(end).Length, Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    /// <summary>
    /// A group's ends of partitions lie apart from those of other groups: to read them for each partition alone would take a block for each
    /// of 81,920 pairs, 1.3 GB.
    /// </summary>
    [Test]
    public void Ends_of_partitions_are_read_for_many_partitions_at_once()
    {
        const int partitionCount = 2048, groups = 40;
        using var harness = new ShuffleHarness(4, partitionCount, 5_000);
        var counting = new ShuffleTraffic();
        int rowsOfGroup = new ShuffleOptions(4, partitionCount, 5_000).RowsPerGroup;
        ShuffledLayout layout = harness.Write(new uint[groups * rowsOfGroup], rowsPerCall: 700);
        Assert.That(layout.GroupCount, Is.EqualTo(groups));
        using (ShuffledPartitions shuffled = harness.Read(layout, traffic: counting))
        {
            for (int partition = 0; partition < partitionCount; partition++)
                Assert.That(shuffled.Window<int>(partition, partition + 1).Length, Is.EqualTo(partition == 0 ? groups * rowsOfGroup : 0));
        }

        Assert.That(counting.BytesRead, Is.InRange(partitionCount * groups * sizeof(long), 16 << 20));
    }

    [Test]
    public void A_shuffle_without_rows_has_no_groups()
    {
        using var harness = new ShuffleHarness(8, 5, 1000);
        ShuffledLayout layout = harness.Write([], rowsPerCall: 1);
        using ShuffledPartitions shuffled = harness.Read(layout);

        Assert.That(layout.GroupCount, Is.Zero);
        Assert.That(harness.ReadAll(shuffled, 100).Sum(rows => rows.Count), Is.Zero);
    }

    [TestCase(4u)]
    [TestCase(uint.MaxValue)]
    public void A_partition_out_of_range_is_refused_before_any_of_its_rows_is_taken(uint partition)
    {
        using var harness = new ShuffleHarness(8, 4, 1);
        using PartitionShuffler shuffler = harness.Open();

        Assert.That(
            () => shuffler.Add(harness.Rows(0, 3), [0, partition, 1]),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains("row 1"));
        Assert.That(shuffler.RowCount, Is.Zero);
        Assert.That(shuffler.Complete().RowCount, Is.Zero);
    }

    [Test]
    public void Rows_that_do_not_fit_their_partitions_are_refused()
    {
        using var harness = new ShuffleHarness(8, 4, 100);
        using PartitionShuffler shuffler = harness.Open();

        Assert.That(() => shuffler.Add(new byte[23], [0, 1, 2]), Throws.ArgumentException);
    }

    [TestCase(0, 1, 1, "RowBytes")]
    [TestCase(1, 0, 1, "PartitionCount")]
    [TestCase(1, 1, 0, "MemoryBytes")]
    public void Options_out_of_range_are_refused(int rowBytes, int partitions, long memory, string name) =>
        Assert.That(
            () => new ShuffleOptions(rowBytes, partitions, memory).Validated(),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains(name));

    [TestCase(16, 1, 1 << 20, long.MaxValue / 32 + 1, Description = "rows")]
    [TestCase(16, 1, 1 << 20, long.MaxValue, Description = "rows")]
    [TestCase(int.MaxValue, 1, 1 << 20, 1L << 33, Description = "rows")]
    [TestCase(1, int.MaxValue, 1, 1L << 30, Description = "offsets")]
    [TestCase(8, 1 << 24, 1 << 20, 1L << 53, Description = "offsets")]
    public void More_rows_than_a_file_can_hold_are_refused(int rowBytes, int partitions, long memory, long rows) =>
        Assert.That(
            () => new ShuffleOptions(rowBytes, partitions, memory, rows).Validated(),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Property("ParamName")
            .EqualTo("ExpectedRows").And.Message.Contains($"{rows}"));

    [TestCase(16, 1, 1 << 20, long.MaxValue / 32)]
    [TestCase(int.MaxValue, 1, 1 << 20, 1L << 31)]
    [TestCase(1, 1 << 20, 1 << 20, 1L << 40)]
    public void As_many_rows_as_a_file_can_hold_are_accepted(int rowBytes, int partitions, long memory, long rows)
    {
        ShuffleOptions options = new ShuffleOptions(rowBytes, partitions, memory, rows).Validated();
        Assert.That(ScratchFormat.FileLength(options.ExpectedDataBytes), Is.GreaterThan(rows));
        Assert.That(ScratchFormat.FileLength(options.ExpectedOffsetBytes), Is.Positive);
    }

    [TestCase(int.MaxValue + 1L)]
    [TestCase(3_000_000_000L)]
    [TestCase(1L << 40)]
    public void Room_is_reserved_for_more_rows_than_an_int_counts(long rows)
    {
        using var harness = new ShuffleHarness(16, 10, 24 * 1000);
        var disk = new SmallStorageIo(long.MaxValue);
        using PartitionShuffler shuffler = harness.Open(disk, rows);

        long groups = (rows + 999) / 1000;
        Assert.That(disk.Reserved, Is.EqualTo(ScratchFormat.FileLength(rows * 16) + ScratchFormat.FileLength(groups * 10 * 8)));
    }

    [Test]
    public void A_group_never_has_more_rows_than_an_array_can_count() =>
        Assert.That(new ShuffleOptions(1, 1, long.MaxValue).RowsPerGroup, Is.EqualTo(Array.MaxLength));

    [Test]
    public void An_abandoned_shuffle_leaves_no_file()
    {
        using var harness = new ShuffleHarness(8, 4, 64);
        using (PartitionShuffler shuffler = harness.Open())
        {
            shuffler.Add(harness.Rows(0, 100), new uint[100]);
            Assert.That(harness.FileNames, Has.Length.EqualTo(2));
        }

        Assert.That(harness.FileNames, Is.Empty);
    }

    [Test]
    public void Reading_to_the_end_leaves_no_file()
    {
        using var harness = new ShuffleHarness(8, 4, 64);
        using (ShuffledPartitions shuffled = harness.Read(harness.Write([1, 2, 3], rowsPerCall: 3)))
            harness.ReadAll(shuffled, 10);

        Assert.That(harness.FileNames, Is.Empty);
    }

    [Test]
    public void A_failure_of_any_write_gives_a_typed_error_and_leaves_no_file(
        [Values(StorageFault.IoError, StorageFault.DiskFull, StorageFault.ShortWrite)] StorageFault fault)
    {
        uint[] partitions = RandomPartitions(30_000, 50, seed: 5);
        int cases = 0;
        for (int failAt = 0; ; failAt++, cases++)
        {
            using var harness = new ShuffleHarness(40, 50, 200_000);
            var io = new FaultyStorageIo(fault, failAt);
            try
            {
                harness.Write(partitions, rowsPerCall: 1000, io);
                Assert.That(io.Failed, Is.Null, "a failure was swallowed");
                break;
            }
            catch (IndexWriteException)
            {
                Assert.That(harness.FileNames, Is.Empty, io.Failed);
            }
        }

        Assert.That(cases, Is.GreaterThan(8));
    }

    [Test]
    public void Adding_to_a_shuffle_that_has_failed_is_an_error([Values] bool hasRoomAgain)
    {
        using var harness = new ShuffleHarness(1000, 7, 100_000);
        using PartitionShuffler shuffler = harness.Open(new FaultyStorageIo(StorageFault.DiskFull, failAt: 3, always: !hasRoomAgain));
        void Add()
        {
            for (int i = 0; i < 20; i++)
                shuffler.Add(harness.Rows(0, 90), new uint[90]);
        }

        for (int i = 0; i < 3; i++)
            Assert.That(Add, Throws.TypeOf<IndexWriteException>().With.Message.Contains("No space left"), $"call {i}");
        Assert.That(shuffler.Complete, Throws.TypeOf<IndexWriteException>());
    }

    [TestCase(false, 5)]
    [TestCase(true, 5)]
    [TestCase(false, 60, Category = "Heavy")]
    [TestCase(true, 60, Category = "Heavy")]
    public void Every_damaged_block_is_found_by_the_read_that_touches_it(bool inOffsets, int rounds)
    {
        uint[] partitions = RandomPartitions(20_000, 2_000, seed: 6);
        var random = new Random(7);
        using var harness = new ShuffleHarness(32, 2_000, 100_000);
        ShuffledLayout layout = harness.Write(partitions, rowsPerCall: 1000);
        byte[] data = File.ReadAllBytes(harness.Paths.Data), offsets = File.ReadAllBytes(harness.Paths.Offsets);
        string path = inOffsets ? harness.Paths.Offsets : harness.Paths.Data;
        long content = inOffsets ? layout.GroupCount * 2_000L * 8 : 20_000L * 32;
        for (int round = 0; round < rounds; round++)
        {
            // A reader deletes both files.
            File.WriteAllBytes(harness.Paths.Data, data);
            File.WriteAllBytes(harness.Paths.Offsets, offsets);
            byte[] bytes = [.. inOffsets ? offsets : data];
            bytes[random.NextInt64(content)] ^= (byte)(1 << random.Next(8));
            File.WriteAllBytes(path, bytes);

            using ShuffledPartitions shuffled = harness.Read(layout);
            Assert.That(() => harness.ReadAll(shuffled, 50_000), Throws.TypeOf<IndexCorruptException>().With.Message.Contains(path));
        }
    }

    [Test]
    public void A_damaged_end_or_length_is_found_at_open([Values] bool inOffsets)
    {
        for (int cut = 1; cut < 12_000; cut += 997)
        {
            using var harness = new ShuffleHarness(32, 20, 100_000);
            ShuffledLayout layout = harness.Write(RandomPartitions(2_000, 20, seed: 8), rowsPerCall: 1000);
            string path = inOffsets ? harness.Paths.Offsets : harness.Paths.Data;
            byte[] bytes = File.ReadAllBytes(path);
            File.WriteAllBytes(path, bytes[..Math.Max(0, bytes.Length - cut)]);

            Assert.That(() => harness.Read(layout).Dispose(), Throws.TypeOf<IndexCorruptException>(), $"cut by {cut}");
        }
    }

    [Test]
    public void Offsets_of_another_shuffle_are_refused()
    {
        using var harness = new ShuffleHarness(32, 20, 100_000);
        using var other = new ShuffleHarness(32, 20, 100_000);
        ShuffledLayout layout = harness.Write(RandomPartitions(2_000, 20, seed: 9), rowsPerCall: 1000);
        other.Write(RandomPartitions(2_000, 20, seed: 10), rowsPerCall: 1000);
        File.Copy(other.Paths.Offsets, harness.Paths.Offsets, overwrite: true);

        using ShuffledPartitions shuffled = harness.Read(layout);
        Assert.That(() => harness.ReadAll(shuffled, 1000), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("partition"));
    }

    /// <summary>Asserts that every partition has its rows, in the order in which they were added.</summary>
    private static void AssertRows(List<long>[] rows, uint[] partitions)
    {
        ILookup<uint, long> expected = Enumerable.Range(0, partitions.Length).ToLookup(row => partitions[row], row => (long)row);
        for (int p = 0; p < rows.Length; p++)
        {
            if (!rows[p].SequenceEqual(expected[(uint)p]))
                Assert.Fail($"Partition {p}: expected rows {string.Join(' ', expected[(uint)p])}, found {string.Join(' ', rows[p])}.");
        }
    }

    private static uint[] RandomPartitions(int count, int partitionCount, int seed)
    {
        var random = new Random(seed);
        uint[] partitions = new uint[count];
        for (int i = 0; i < count; i++)
            partitions[i] = (uint)(random.NextDouble() * random.NextDouble() * partitionCount);
        return partitions;
    }
}

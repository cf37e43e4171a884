using NUnit.Framework;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Records;
using VectorPipe.Tests.Formats;
using VectorPipe.Tests.Storage.Files;

namespace VectorPipe.Tests.Storage.Records;

/// <summary>Records that were written are found by their handles, and read in their order.</summary>
[Parallelizable(ParallelScope.All)]
internal sealed class RecordFileTests
{
    private static readonly int[] _lengths =
        [0, 1, 0, 4071, 3000, .. Enumerable.Range(4036, 65), 2 * 4064, 1 << 20, RecordPlace.MaxBodyBytes, 262_144, 0];

    [Test]
    public void Records_of_all_lengths_are_found_and_read_in_their_order()
    {
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] records = [.. _lengths.Select((length, i) => (HandleOf(i), length))];
        using RecordFile file = files.Open(files.Write(records));
        Assert.That(file.Count, Is.EqualTo(records.Length));
        foreach ((ulong handle, int length) in records)
            AssertBody(file.FindBytes(handle), handle, length);
        AssertAll(file, records);
        file.Verify(CancellationToken.None);
    }

    [TestCase(0)]
    [TestCase(13)]
    [TestCase(1, Category = "Heavy")]
    [TestCase(4041, Category = "Heavy")]
    public void A_record_is_found_wherever_it_begins_in_a_page(int length)
    {
        // Two records fill a page and a byte: each pair begins one byte later in its page than the one before.
        int other = 4065 - (2 * RecordPlace.HeaderBytes) - length;
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] records = [.. Enumerable.Range(0, 2 * 4065).Select(i => (HandleOf(i), i % 2 == 0 ? length : other))];
        using RecordFile file = files.Open(files.Write(records));
        foreach ((ulong handle, int bytes) in records)
            AssertBody(file.FindBytes(handle), handle, bytes);
        AssertAll(file, records);
        file.Verify(CancellationToken.None);
    }

    [TestCase(10_000)]
    [TestCase(100_000, Category = "Heavy")]
    public void Many_small_records_are_found_and_others_are_not(int count)
    {
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] records = [.. Enumerable.Range(0, count).Select(i => (HandleOf(i), i % 61))];
        using RecordFile file = files.Open(files.Write(records));
        foreach ((ulong handle, int length) in records)
            AssertBody(file.FindBytes(handle), handle, length);
        for (int i = count; i < count + (count / 10); i++)
            Assert.That(file.FindBytes(HandleOf(i)), Is.Null, $"handle {HandleOf(i)}");
        AssertAll(file, records);
        file.Verify(CancellationToken.None);
    }

    [Test]
    public void A_file_without_records_is_a_file([Values(0, 1000)] int capacity)
    {
        using var files = new RecordFiles();
        using RecordFileWriter writer = files.Writer(capacity);
        using RecordFile file = files.Open(writer.Finish());
        Assert.That(
            (file.Count, file.FindBytes(0), file.FindBytes(7), file.ReadAll().Count()), Is.EqualTo((0L, (byte[]?)null, (byte[]?)null, 0)));
        file.Verify(CancellationToken.None);
    }

    [Test]
    public void The_least_and_the_greatest_handle_are_handles_like_others()
    {
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] records = [(ulong.MaxValue, 5), (0, 6), (1UL << 63, 7), (1, 8)];
        using RecordFile file = files.Open(files.Write(records));
        foreach ((ulong handle, int length) in records)
            AssertBody(file.FindBytes(handle), handle, length);
    }

    [Test]
    public void A_writer_may_announce_more_records_than_come_and_no_fewer()
    {
        using var files = new RecordFiles();
        using RecordFileWriter writer = files.Writer(capacity: 100_000);
        writer.Add(1, [1]);
        RecordFileInfo info = writer.Finish();
        Assert.That((info.Shape.Entries, info.Shape.Buckets), Is.EqualTo((1L, 1L)), "buckets for the records that came");

        using var others = new RecordFiles();
        using RecordFileWriter small = others.Writer(capacity: 1);
        small.Add(1, [1]);
        Assert.That(() => small.Add(2, [1]), Throws.InvalidOperationException.With.Message.Contains("expected 1 records at most"));
    }

    [Test]
    public void A_handle_that_comes_twice_is_refused_and_leaves_no_file([Values(2, 500, 5000)] int count)
    {
        using var files = new RecordFiles();
        using (RecordFileWriter writer = files.Writer(count))
        {
            for (int i = 0; i < count; i++)
                writer.Add(HandleOf(i == count - 1 ? count / 3 : i), [1]);
            Assert.That(
                () => writer.Finish(), Throws.InvalidOperationException.With.Message.Contains($"found handle {HandleOf(count / 3)} twice"));
        }

        Assert.That(files.FileNames, Is.Empty);
    }

    [Test]
    public void A_body_that_is_too_long_is_refused()
    {
        using var files = new RecordFiles();
        using RecordFileWriter writer = files.Writer(capacity: 1);
        Assert.That(() => writer.Add(1, new byte[RecordPlace.MaxBodyBytes + 1]), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void A_writer_that_is_finished_takes_nothing_more()
    {
        using var files = new RecordFiles();
        using RecordFileWriter writer = files.Writer(capacity: 2);
        writer.Finish();
        Assert.That(() => writer.Add(1, [1]), Throws.InvalidOperationException);
        Assert.That(() => writer.Finish(), Throws.InvalidOperationException);
    }

    [Test]
    public void A_writer_that_is_not_finished_leaves_no_file()
    {
        using var files = new RecordFiles();
        using (RecordFileWriter writer = files.Writer(capacity: 2))
        {
            writer.Add(1, RecordFiles.Body(1, 100_000));
            Assert.That(files.FileNames, Is.EquivalentTo(new[] { RecordFiles.HeapName, RecordFiles.KeysName }));
        }

        Assert.That(files.FileNames, Is.Empty);
    }

    [Test]
    public void A_cancelled_writer_leaves_no_file()
    {
        using var files = new RecordFiles();
        using (RecordFileWriter writer = files.Writer(capacity: 2))
        {
            writer.Add(1, [1]);
            Assert.That(() => writer.Finish(new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
        }

        Assert.That(files.FileNames, Is.Empty);
    }

    [Test]
    public void A_file_that_exists_is_neither_overwritten_nor_deleted([Values(true, false)] bool isHeap)
    {
        using var files = new RecordFiles();
        string path = isHeap ? files.HeapPath : files.KeysPath;
        File.WriteAllBytes(path, [1, 2, 3]);
        Assert.That(() => files.Writer(capacity: 2), Throws.TypeOf<IndexWriteException>().With.Message.Contains(path));
        Assert.That(files.FileNames, Is.EqualTo(new[] { Path.GetFileName(path) }));
        Assert.That(File.ReadAllBytes(path), Is.EqualTo(new byte[] { 1, 2, 3 }));
    }

    [Test]
    public void A_record_of_three_kilobytes_costs_two_reads()
    {
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] records = [.. Enumerable.Range(0, 1000).Select(i => (HandleOf(i), i * 3))];
        var io = new CountingReadsIo();
        using RecordFile file = files.Open(files.Write(records), io);
        foreach ((ulong handle, int length) in records)
        {
            io.Clear();
            AssertBody(file.FindBytes(handle), handle, length);
            Assert.That((io.Reads, io.Bytes <= 3 * 4096), Is.EqualTo((2, true)), $"a page, and one or two of the record: {io.Bytes}");
        }

        io.Clear();
        Assert.That(file.ReadAll().Count(), Is.EqualTo(records.Length));
        Assert.That(io.Reads, Is.LessThanOrEqualTo(1 + (1_512_000 / (64 * 4064))), "all records come in large reads");
    }

    [Test]
    public void Many_threads_find_and_read_at_once()
    {
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] records = [.. Enumerable.Range(0, 3000).Select(i => (HandleOf(i), i * 7 % 9000))];
        using RecordFile file = files.Open(files.Write(records));
        Parallel.For(0, 8, new ParallelOptions { MaxDegreeOfParallelism = 8 }, thread =>
        {
            if (thread % 4 == 3)
                AssertAll(file, records);
            for (int i = 0; i < records.Length; i++)
            {
                (ulong Handle, int Length) record = records[(i + (thread * 17)) % records.Length];
                AssertBody(file.FindBytes(record.Handle), record);
            }
        });
    }

    [Test]
    public void A_cancelled_check_ends()
    {
        using var files = new RecordFiles();
        using RecordFile file = files.Open(files.Write([(1, 1)]));
        Assert.That(() => file.Verify(new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void Equal_records_are_equal_bytes()
    {
        using RecordFiles one = new(), other = new();
        (ulong Handle, int Length)[] records = [.. Enumerable.Range(0, 1000).Select(i => (HandleOf(i), i))];
        Assert.That(other.Write(records), Is.EqualTo(one.Write(records)));
        TestBytes.AssertEqual(File.ReadAllBytes(other.HeapPath), File.ReadAllBytes(one.HeapPath), "the heap");
        TestBytes.AssertEqual(File.ReadAllBytes(other.KeysPath), File.ReadAllBytes(one.KeysPath), "the keys");
    }

    [Test]
    public void Writes_keep_the_rules_of_direct_writes()
    {
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] records = [.. Enumerable.Range(0, 3000).Select(i => (HandleOf(i), i))];
        var io = new DirectRulesStorageIo();
        using RecordFile file = files.Open(files.Write(records, io));
        Assert.That(io.DirectWrites, Is.GreaterThan(5));
        AssertAll(file, records);
        file.Verify(CancellationToken.None);
    }

    [Test]
    public void A_writer_of_an_index_in_the_same_directory_leaves_the_files_alone()
    {
        using var files = new RecordFiles();
        files.Write([(1, 1)]);
        Assert.That(IndexDirectory.DeleteLeftovers(files.Directory, null, FileStorageIo.Instance), Is.Empty);
        IndexDirectory.DeleteGeneration(files.Directory, RecordFiles.Generation, FileStorageIo.Instance);
        Assert.That(files.FileNames, Is.EquivalentTo(new[] { RecordFiles.HeapName, RecordFiles.KeysName }));
    }

    [Test]
    public void A_place_comes_back_from_its_value()
    {
        RecordPlace[] places =
        [
            new(0, 0), new(1, 0), new(0, 1), new(RecordPlace.MaxOffset, 0), new(0, RecordPlace.MaxBodyBytes),
            new(RecordPlace.MaxOffset, RecordPlace.MaxBodyBytes), new(1L << 41, 1 << 20),
        ];
        Assert.That(places.Select(place => RecordPlace.FromValue(place.ToValue())), Is.EqualTo(places));
        Assert.That(places.Select(place => place.ToValue() & KeyBucketPage.TombstoneBit), Is.All.Zero);
        Assert.That(places.Select(place => place.ToValue()).Distinct().Count(), Is.EqualTo(places.Length));
    }

    internal static ulong HandleOf(int i) => (ulong)i * 0x9E37_79B9_7F4A_7C15;

    private static void AssertBody(byte[]? found, (ulong Handle, int Length) record) => AssertBody(found, record.Handle, record.Length);

    private static void AssertBody(byte[]? found, ulong handle, int length)
    {
        if (found is null || !found.AsSpan().SequenceEqual(RecordFiles.Body(handle, length)))
            Assert.Fail($"handle {handle}: expected its {length} bytes, found {(found is null ? "none" : $"{found.Length} others")}");
    }

    private static void AssertAll(RecordFile file, (ulong Handle, int Length)[] records)
    {
        int i = 0;
        foreach ((ulong handle, byte[] body) in file.ReadAll())
        {
            if (handle != records[i].Handle)
                Assert.Fail($"record {i}: expected handle {records[i].Handle}, found {handle}");
            AssertBody(body, records[i++]);
        }

        Assert.That(i, Is.EqualTo(records.Length));
    }
}

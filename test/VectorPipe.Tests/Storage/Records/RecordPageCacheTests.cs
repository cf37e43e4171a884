using NUnit.Framework;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Records;

namespace VectorPipe.Tests.Storage.Records;

/// <summary>Pages of records that were read once are not read again, and are those of their file.</summary>
[Parallelizable(ParallelScope.All)]
internal sealed class RecordPageCacheTests
{
    private const int Count = 2_000;

    [Test]
    public void With_twice_the_room_for_all_pages_a_second_look_reads_none()
    {
        using var files = new RecordFiles();
        RecordFileInfo info = files.Write(Records());
        RecordPageCache cache = RecordPageCache.Of(2 * (info.Heap.Length + info.Directory.Length))!;
        var io = new CountingReadsIo();
        using RecordFile file = RecordFile.Open(io, files.Directory, info, cache);
        io.Clear();
        FindAll(file);
        int first = io.Reads;
        io.Clear();
        FindAll(file);
        TestContext.Out.WriteLine($"{first} reads, then {io.Reads}, of {Count} records");
        Assert.That(first, Is.LessThan(Count), "a page has many records");
        Assert.That(io.Reads, Is.Zero, "without a cache there are two reads or more of each record");
    }

    [Test]
    public void Pages_of_records_that_lie_in_several_are_not_read_again_either()
    {
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] records = [.. Enumerable.Range(0, 40).Select(i => ((ulong)i * 7919, 3_000 + (200 * i)))];
        RecordFileInfo info = files.Write(records);
        RecordPageCache cache = RecordPageCache.Of(8 * (info.Heap.Length + info.Directory.Length))!;
        var io = new CountingReadsIo();
        using RecordFile file = RecordFile.Open(io, files.Directory, info, cache);
        for (int round = 0; round < 2; round++)
        {
            io.Clear();
            foreach ((ulong handle, int length) in records)
                Assert.That(file.FindBytes(handle), Is.EqualTo(RecordFiles.Body(handle, length)));
        }

        Assert.That(io.Reads, Is.Zero);
    }

    [TestCase(1 << 16)]
    [TestCase(1 << 17)]
    public void With_room_for_few_pages_records_are_found_too(int bytes)
    {
        using var files = new RecordFiles();
        using RecordFile file = RecordFile.Open(new CountingReadsIo(), files.Directory, files.Write(Records()), RecordPageCache.Of(bytes));
        FindAll(file);
        FindAll(file);
    }

    [Test]
    public void Files_that_share_a_cache_keep_their_own_pages()
    {
        using var one = new RecordFiles();
        using var other = new RecordFiles();
        RecordPageCache? cache = RecordPageCache.Of(1 << 20);
        using RecordFile first = RecordFile.Open(new CountingReadsIo(), one.Directory, one.Write(Records()), cache);
        RecordFileInfo longer = other.Write([.. Records().Select(record => (record.Handle, record.Length + 1))]);
        using RecordFile second = RecordFile.Open(new CountingReadsIo(), other.Directory, longer, cache);
        for (int round = 0; round < 2; round++)
        {
            foreach ((ulong handle, int length) in Records())
            {
                Assert.That(first.FindBytes(handle), Is.EqualTo(RecordFiles.Body(handle, length)));
                Assert.That(second.FindBytes(handle), Is.EqualTo(RecordFiles.Body(handle, length + 1)));
            }
        }
    }

    [TestCase(0, 0)]
    [TestCase(33_535, 0)]
    [TestCase(33_536, 33_536)]
    [TestCase(100_000, 67_072)]
    public void It_takes_no_more_than_its_bytes(long bytes, long taken) =>
        Assert.That(RecordPageCache.Of(bytes)?.Bytes ?? 0, Is.EqualTo(taken));

    [Test]
    public void Threads_that_fill_and_read_it_see_whole_pages()
    {
        using var files = new RecordFiles();
        RecordFileInfo info = files.Write(Records());
        using RecordFile file = RecordFile.Open(FileStorageIo.Instance, files.Directory, info, RecordPageCache.Of(16 * PageCodec.PageUnit));
        Parallel.For(0, 4, thread =>
        {
            var random = new Random(thread);
            (ulong Handle, int Length)[] records = Records();
            for (int i = 0; i < 4_000; i++)
            {
                (ulong handle, int length) = records[random.Next(Count)];
                Assert.That(file.FindBytes(handle), Is.EqualTo(RecordFiles.Body(handle, length)));
            }
        });
    }

    private static void FindAll(RecordFile file)
    {
        foreach ((ulong handle, int length) in Records())
            Assert.That(file.FindBytes(handle), Is.EqualTo(RecordFiles.Body(handle, length)));
    }

    private static (ulong Handle, int Length)[] Records() => [.. Enumerable.Range(0, Count).Select(i => ((ulong)i * 7919, i % 61))];
}

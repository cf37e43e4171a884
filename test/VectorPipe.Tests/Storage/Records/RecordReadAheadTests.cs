using NUnit.Framework;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Records;

namespace VectorPipe.Tests.Storage.Records;

/// <summary>Reads that are begun for look-ups are the reads that they make.</summary>
[Parallelizable(ParallelScope.All)]
internal sealed class RecordReadAheadTests
{
    private static readonly (ulong Handle, int Length)[] _records =
        [.. Enumerable.Range(0, 600).Select(i => (RecordFileTests.HandleOf(i), i % 50 == 7 ? 9_000 + i : i % 300))];

    [TestCase(1)]
    [TestCase(10)]
    [TestCase(64)]
    public void Look_ups_read_nothing_else(int count)
    {
        using var files = new RecordFiles();
        var io = new CountingReadsIo();
        using RecordFile file = RecordFile.Open(io, files.Directory, files.Write(_records));
        foreach ((ulong Handle, int Length)[] some in _records.Chunk(count))
        {
            io.Clear();
            file.BeginReads([.. some.Select(record => record.Handle), RecordFileTests.HandleOf(9_999)]);
            foreach ((ulong handle, int length) in some)
                Assert.That(file.FindBytes(handle), Is.EqualTo(RecordFiles.Body(handle, length)));
            Assert.That(file.FindBytes(RecordFileTests.HandleOf(9_999)), Is.Null);
            Assert.That(io.Unexpected, Is.Zero);
        }
    }

    [Test]
    public void A_page_in_the_cache_is_not_read_again()
    {
        using var files = new RecordFiles();
        (ulong Handle, int Length)[] small = [.. _records.Where(record => record.Length < 300)];
        var io = new CountingReadsIo();
        using RecordFile file = RecordFile.Open(io, files.Directory, files.Write(small), RecordPageCache.Of(1 << 24));
        ulong[] handles = [.. small.Select(record => record.Handle)];
        file.BeginReads(handles);
        int first = io.Begun.Count;
        foreach (ulong handle in handles)
            file.FindBytes(handle);
        io.Clear();
        file.BeginReads(handles);
        Assert.That(first, Is.GreaterThan(handles.Length));
        Assert.That(io.Begun.Select(begun => begun.End - begun.From), Has.All.GreaterThan(PageCodec.PageUnit));
    }

    [Test]
    public void A_damaged_page_is_an_error_of_the_look_up_that_needs_it()
    {
        using var files = new RecordFiles();
        RecordFileInfo info = files.Write(_records);
        byte[] bytes = File.ReadAllBytes(files.KeysPath);
        for (int page = 1; page < bytes.Length / PageCodec.PageUnit; page++)
            bytes[(page * PageCodec.PageUnit) + 99] ^= 1;
        File.WriteAllBytes(files.KeysPath, bytes);
        using RecordFile file = files.Open(info);
        file.BeginReads([.. _records.Select(record => record.Handle)]);
        Assert.That(() => file.FindBytes(_records[0].Handle), Throws.TypeOf<IndexCorruptException>());
    }
}

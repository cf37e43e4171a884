using NUnit.Framework;
using VectorPipe.Devices.Native;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Formats;
using VectorPipe.Tests.Storage.Files;

namespace VectorPipe.Tests.Storage.Pages;

public sealed class PageFileTests
{
    private const ulong IndexId = 77;
    private const uint Generation = 5;

    private TemporaryFolder _folder = null!;

    [SetUp]
    public void CreateFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void DeleteFolder() => _folder.Dispose();

    [TestCase(1, 2)]
    [TestCase(4063, 2)]
    [TestCase(4064, 2)]
    [TestCase(4065, 3)]
    [TestCase((1 << 20) + 1, 260)]
    public void A_written_stream_is_read_back(int length, int pages)
    {
        FileEntry entry = WriteStream("codes", length, piece: 1000);
        Assert.That(entry.PageCount, Is.EqualTo(pages));
        Assert.That(new FileInfo(_folder.File("codes")).Length, Is.EqualTo(entry.Length));
        using PageFileReader reader = Open(entry);
        using NativeBuffer bytes = new((nuint)length);
        reader.ReadAll(bytes, CancellationToken.None);
        Assert.That(bytes.Span(0, length).SequenceEqual(Stream(length)), Is.True);
    }

    [Test]
    public void An_empty_stream_is_only_a_header()
    {
        FileEntry entry = WriteStream("codes", 0, piece: 1);
        using PageFileReader reader = Open(entry);
        Assert.That((entry.PageCount, reader.Header.StreamLength), Is.EqualTo((1L, 0L)));
    }

    [TestCase(4064)]
    [TestCase(4066)]
    public void A_stream_of_another_length_is_refused(int expected)
    {
        FileEntry entry = WriteStream("codes", 4065, piece: 4065);
        using PageFileReader reader = Open(entry);
        using NativeBuffer bytes = new((nuint)expected);
        Assert.That(
            () => reader.ReadAll(bytes, CancellationToken.None),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains($"expected a stream of {expected} bytes, found 4065"));
    }

    [TestCase(9)]
    [TestCase(11)]
    public void A_stream_of_another_length_than_announced_is_not_completed(int written)
    {
        using PagedStreamWriter writer = new(_folder.File("codes"), FileRole.Codes, IndexId, Generation, 10, FileStorageIo.Instance);
        writer.Write(Stream(written));
        Assert.That(writer.Complete, Throws.InvalidOperationException);
    }

    [Test]
    public void Written_pages_are_read_back([Values(4096, 8192)] int pageSize, [Values(1, 2, 300)] int pages)
    {
        FileEntry entry = WritePages("nodes", pageSize, pages);
        using PageFileReader reader = Open(entry);
        for (int page = 1; page < pages; page++)
        {
            ReadOnlySpan<byte> bytes = reader.ReadPages(page, 1);
            PageCodec.Verify(reader.FilePath, bytes, PageKind.PlainNodes, reader.Identity(page));
            Assert.That(
                (PageCodec.Payload(bytes)[0], PageCodec.Payload(bytes)[1]), Is.EqualTo(((byte)page, (byte)0)), "A page begins zeroed.");
        }
    }

    [Test]
    public void More_or_fewer_pages_than_announced_are_refused()
    {
        using PageFileWriter writer = new(_folder.File("nodes"), FileRole.Nodes, IndexId, Generation, 4096, 2, FileStorageIo.Instance);
        Assert.That(() => writer.Complete(), Throws.InvalidOperationException);
        writer.BeginPage();
        writer.Seal(PageKind.PlainNodes, 0, 0);
        Assert.That(() => writer.BeginPage(), Throws.InvalidOperationException);
    }

    [Test]
    public void A_file_that_exists_is_never_overwritten()
    {
        string path = _folder.Write("nodes", [1, 2, 3]);
        Assert.That(
            () => new PageFileWriter(path, FileRole.Nodes, IndexId, Generation, 4096, 2, FileStorageIo.Instance),
            Throws.TypeOf<IndexWriteException>().With.Message.Contains(path));
        Assert.That(File.ReadAllBytes(path), Is.EqualTo(new byte[] { 1, 2, 3 }));
    }

    [Test]
    public void A_missing_file_is_named()
    {
        FileEntry entry = WriteStream("codes", 10, piece: 10);
        File.Delete(_folder.File("codes"));
        Assert.That(() => Open(entry), Throws.TypeOf<IndexCorruptException>().With.Message.Contains(_folder.File("codes")));
    }

    [TestCase(-4096)]
    [TestCase(-1)]
    [TestCase(1)]
    [TestCase(4096)]
    public void A_file_of_another_length_is_refused(int difference)
    {
        FileEntry entry = WriteStream("codes", 10_000, piece: 100);
        using (FileStream file = File.OpenWrite(_folder.File("codes")))
            file.SetLength(file.Length + difference);
        AssertRefused(entry, $"expected {entry.Length} bytes, found {entry.Length + difference}");
    }

    [Test]
    public void A_swapped_file_is_refused()
    {
        FileEntry entry = WriteStream("codes", 10_000, piece: 100);
        WriteStream("other", 10_000, piece: 100, IndexId + 1);
        File.Move(_folder.File("other"), _folder.File("codes"), overwrite: true);
        AssertRefused(entry, "expected file identity");
    }

    [Test]
    public void A_file_of_another_index_is_refused()
    {
        FileEntry entry = WriteStream("codes", 10, piece: 10);
        Assert.That(
            () => new PageFileReader(_folder.Path, entry, IndexId + 1),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains("expected a file of index"));
    }

    [Test]
    public void A_file_of_another_generation_is_refused() =>
        AssertRefused(WriteStream("codes", 10, piece: 10) with { Generation = Generation + 1 }, "expected generation 6, found 5");

    [Test]
    public void A_file_of_another_role_is_refused() =>
        AssertRefused(WriteStream("codes", 10, piece: 10) with { Role = FileRole.CodeBook }, "role CodeBook");

    [Test]
    public void Every_damaged_page_of_a_stream_is_named([Range(1, 3)] int page)
    {
        FileEntry entry = WriteStream("codes", 10_000, piece: 100);
        byte[] bytes = File.ReadAllBytes(_folder.File("codes"));
        bytes[page * 4096 + 1234] ^= 1;
        File.WriteAllBytes(_folder.File("codes"), bytes);
        using PageFileReader reader = Open(entry);
        using NativeBuffer stream = new(10_000);
        Assert.That(
            () => reader.ReadAll(stream, CancellationToken.None),
            Throws.TypeOf<IndexCorruptException>().With.Property(nameof(IndexCorruptException.Page)).EqualTo(page));
    }

    [Test]
    public void A_cancelled_read_ends()
    {
        FileEntry entry = WriteStream("codes", 10, piece: 10);
        using PageFileReader reader = Open(entry);
        using NativeBuffer stream = new(10);
        Assert.That(
            () => reader.ReadAll(stream, new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void A_full_disk_is_an_error_that_names_the_file()
    {
        using SmallDisk disk = SmallDisk.MountOrIgnore(_folder.File("disk"), "256k");
        string path = System.IO.Path.Combine(disk.Path, "nodes");
        Assert.That(
            () =>
            {
                using PageFileWriter writer = new(path, FileRole.Nodes, IndexId, Generation, 4096, 1000, FileStorageIo.Instance);
                for (int page = 1; page < 1000; page++)
                {
                    writer.BeginPage();
                    writer.Seal(PageKind.PlainNodes, 0, 0);
                }

                writer.Complete();
            },
            Throws.TypeOf<IndexWriteException>().With.Message.Contains(path));
    }

    private static byte[] Stream(int length) => [.. Enumerable.Range(0, length).Select(i => (byte)(i * 31 >> 3))];

    private PageFileReader Open(FileEntry entry) => new(_folder.Path, entry, IndexId);

    private void AssertRefused(FileEntry entry, string message) =>
        Assert.That(() => Open(entry), Throws.TypeOf<IndexCorruptException>().With.Message.Contains(message));

    private FileEntry WriteStream(string name, int length, int piece, ulong indexId = IndexId)
    {
        using PagedStreamWriter writer = new(_folder.File(name), FileRole.Codes, indexId, Generation, length, FileStorageIo.Instance);
        foreach (byte[] bytes in Stream(length).Chunk(piece))
            writer.Write(bytes);
        writer.Complete();
        return writer.Entry;
    }

    private FileEntry WritePages(string name, int pageSize, int pages)
    {
        using PageFileWriter writer = new(_folder.File(name), FileRole.Nodes, IndexId, Generation, pageSize, pages, FileStorageIo.Instance);
        for (int page = 1; page < pages; page++)
        {
            PageCodec.Payload(writer.BeginPage())[0] = (byte)page;
            writer.Seal(PageKind.PlainNodes, 1, 1);
        }

        writer.Complete();
        return writer.Entry;
    }
}

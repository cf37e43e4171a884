using NUnit.Framework;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Formats;
using VectorPipe.Tests.Storage.Files;

namespace VectorPipe.Tests.Storage.Pages;

/// <summary>Bytes written in pieces are in the file, whole and in order, or there is an error.</summary>
public sealed class SequentialWriterTests
{
    private const int Page = PageCodec.PageUnit;
    private const int Piece = 4 * Page;

    private TemporaryFolder _folder = null!;

    private string FilePath => _folder.File("file");

    [SetUp]
    public void CreateFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void DeleteFolder() => _folder.Dispose();

    [Test]
    public void Pages_come_back_in_order_and_every_write_keeps_the_rules_of_direct_writes([Values(0, 1, 3, 4, 5, 8, 9, 40)] int pages)
    {
        var io = new DirectRulesStorageIo();
        WritePages(pages, io);
        TestBytes.AssertEqual(File.ReadAllBytes(FilePath), Expected(pages), $"{pages} pages");
        Assert.That(io.DirectWrites, Is.EqualTo(1 + (pages + 3) / 4), "the first page, and whole pieces");
    }

    [Test]
    public void Appended_bytes_are_padded_to_a_page([Values(1, Page - 1, Page, Page + 1, Piece, Piece + 1, 3 * Piece - 1)] int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        using (SequentialWriter writer = new(FilePath, 0, Piece, 0, new DirectRulesStorageIo()))
        {
            // Older bytes of a piece must not show in the padding.
            for (int i = 0; i < 9; i++)
            {
                writer.Rest[..Page].Fill(0xFF);
                writer.Advance(Page);
            }

            writer.Append(bytes);
            writer.Complete(isDurable: false);
        }

        int padding = (Page - length % Page) % Page;
        TestBytes.AssertEqual(
            File.ReadAllBytes(FilePath), [.. Enumerable.Repeat((byte)0xFF, 9 * Page), .. bytes, .. new byte[padding]], $"{length} bytes");
    }

    [Test]
    public void A_failure_of_any_operation_gives_a_typed_error_that_names_the_file(
        [Values(StorageFault.IoError, StorageFault.DiskFull, StorageFault.ShortWrite)] StorageFault fault, [Values] bool always)
    {
        int failAt = 0;
        for (; ; failAt++)
        {
            File.Delete(FilePath);
            var io = new FaultyStorageIo(fault, failAt, always);
            try
            {
                WritePages(40, io);
                Assert.That(io.Failed, Is.Null, "a failure was swallowed");
                break;
            }
            catch (IndexWriteException e)
            {
                Assert.That(e.Message, Does.Contain(FilePath), io.Failed);
            }
        }

        Assert.That(failAt, Is.EqualTo(14), "create, eleven writes, length, sync: each failed once");
    }

    [Test]
    public void A_writer_that_has_failed_refuses_every_call([Values] bool hasRoomAgain)
    {
        using SequentialWriter writer =
            new(FilePath, 0, Piece, 0, new FaultyStorageIo(StorageFault.DiskFull, failAt: 1, always: !hasRoomAgain));
        void Fill() => writer.Advance(writer.Rest.Length);
        Fill();
        IndexWriteException first = Assert.Throws<IndexWriteException>(Fill)!;

        // Other threads may still write after the failure.
        Assert.That(() => writer.Rest.Length, Throws.Exception.SameAs(first));
        Assert.That(() => writer.Append(new byte[Page]), Throws.Exception.SameAs(first));
        Assert.That(() => writer.Advance(Page), Throws.Exception.SameAs(first));
        Assert.That(writer.Flush, Throws.Exception.SameAs(first));
        Assert.That(() => writer.Complete(isDurable: true), Throws.Exception.SameAs(first));
    }

    [Test]
    public void An_abandoned_writer_lets_its_write_end_first([Values] bool failing)
    {
        var io = new FaultyStorageIo(StorageFault.IoError, failing ? 1 : int.MaxValue);
        SequentialWriter writer = new(FilePath, 0, Piece, 0, io);
        writer.Advance(writer.Rest.Length);
        writer.Dispose();
        writer.Dispose();
        Assert.That(io.Operations, Is.EqualTo(2), "disposal waited for the write in flight");
    }

    [Test]
    public void A_file_with_content_is_not_overwritten()
    {
        _folder.Write("file", [1, 2, 3]);
        Assert.That(
            () => new SequentialWriter(FilePath, 0, Piece, 0, FileStorageIo.Instance),
            Throws.TypeOf<IndexWriteException>().With.Message.Contains(FilePath));
        Assert.That(File.ReadAllBytes(FilePath), Is.EqualTo(new byte[] { 1, 2, 3 }));
    }

    /// <summary>Pages 1 to n, then page 0.</summary>
    private void WritePages(int pages, IStorageIo io)
    {
        using SequentialWriter writer = new(FilePath, Page, Piece, 0, io);
        for (int page = 1; page <= pages; page++)
        {
            writer.Rest[..Page].Fill((byte)page);
            writer.Advance(Page);
        }

        writer.Flush();
        writer.Rest[..Page].Fill(0xAA);
        writer.WriteAt(0, Page);
        writer.Complete(isDurable: true);
    }

    private static byte[] Expected(int pages) =>
        [.. Enumerable.Repeat((byte)0xAA, Page), .. Enumerable.Range(1, pages).SelectMany(page => Enumerable.Repeat((byte)page, Page))];
}

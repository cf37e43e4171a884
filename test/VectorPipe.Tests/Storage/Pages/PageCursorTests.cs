using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Pages;

/// <summary>Successive pages are read ahead, any page can be read, and all are verified.</summary>
internal sealed class PageCursorTests
{
    private const int Pages = 1001;
    private const ulong IndexId = 31;

    private TemporaryFolder _folder = null!;
    private FileEntry _entry = null!;

    [SetUp]
    public void WriteFile()
    {
        _folder = new TemporaryFolder();
        using var writer = new PageFileWriter(_folder.File("nodes"), FileRole.Nodes, IndexId, 1, 4096, Pages, FileStorageIo.Instance);
        for (int page = 1; page < Pages; page++)
        {
            BitConverter.TryWriteBytes(PageCodec.Payload(writer.BeginPage()), page);
            writer.Seal(PageKind.PlainNodes, 1, sizeof(int));
        }

        writer.Complete();
        _entry = writer.Entry;
    }

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public void Pages_in_order_come_in_few_reads()
    {
        var counting = new FaultOpener(_ => default);
        using IDevice device = Open(counting);
        using PageCursor run = Run(device);
        for (int page = 1; page < Pages; page++)
            AssertIsPage(run.Read(page), page);

        Assert.That(counting.Reads, Is.EqualTo((Pages + 62) / 64), "64 pages a read");
    }

    [Test]
    public void A_page_in_memory_is_not_read_again()
    {
        var counting = new FaultOpener(_ => default);
        using IDevice device = Open(counting);
        using PageCursor run = Run(device, end: 2);
        AssertIsPage(run.Read(1), 1);
        AssertIsPage(run.Read(1), 1);

        Assert.That(counting.Reads, Is.EqualTo(1));
    }

    [Test]
    public void Any_page_may_be_read()
    {
        var random = new Random(20290);
        using IDevice device = Open(new FaultOpener(_ => default));
        using PageCursor run = Run(device);
        for (int i = 0; i < 300; i++)
        {
            int page = random.Next(1, Pages);
            AssertIsPage(run.Read(page), page);
            if (page + 1 < Pages)
                AssertIsPage(run.Read(page + 1), page + 1);
        }
    }

    [Test]
    public void Nothing_is_read_before_the_first_request_or_from_the_end_on()
    {
        var counting = new FaultOpener(_ => default);
        using IDevice device = Open(counting);
        using (PageCursor run = Run(device, end: 65))
        {
            Assert.That(counting.Reads, Is.Zero);
            Assert.That(() => run.Read(65), Throws.InstanceOf<ArgumentOutOfRangeException>());
            run.Read(1);
        }

        Assert.That(counting.Reads, Is.EqualTo(1));
    }

    [Test]
    public void A_damaged_page_is_an_error_at_every_request_and_the_others_are_not()
    {
        byte[] bytes = File.ReadAllBytes(_folder.File("nodes"));
        bytes[(70 * 4096) + 2000] ^= 4;
        File.WriteAllBytes(_folder.File("nodes"), bytes);
        using IDevice device = Open(new FaultOpener(_ => default));
        using PageCursor run = Run(device);
        for (int page = 60; page < 80; page++)
        {
            if (page == 70)
            {
                Assert.That(
                    () => run.Read(70),
                    Throws.TypeOf<IndexCorruptException>().With.Property(nameof(IndexCorruptException.Page)).EqualTo(70L));
                Assert.That(() => run.Read(70), Throws.TypeOf<IndexCorruptException>());
                continue;
            }

            AssertIsPage(run.Read(page), page);
        }
    }

    [Test]
    public void A_read_that_fails_fails_the_page_and_the_next_request_tries_again()
    {
        using IDevice device = Open(new FaultOpener(read => read == 0 ? new Fault(FaultKind.Errno, Errno.EIO) : default));
        using PageCursor run = Run(device, end: 2);
        Assert.That(() => run.Read(1), Throws.TypeOf<DeviceException>().With.Message.Contains("nodes, page 1"));
        AssertIsPage(run.Read(1), 1);
    }

    [Test]
    public void A_cancellation_ends_the_wait_and_the_page_can_be_requested_again()
    {
        using IDevice device = Open(new FaultOpener(_ => new Fault(FaultKind.Delay, 3)));
        using PageCursor run = Run(device);
        Assert.That(() => run.Read(1, new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
        AssertIsPage(run.Read(1), 1);
    }

    private static void AssertIsPage(ReadOnlySpan<byte> bytes, int page) =>
        Assert.That(BitConverter.ToInt32(PageCodec.Payload(bytes)), Is.EqualTo(page));

    private IDevice Open(FaultOpener opener) => PageScan.Open(_folder.File("nodes"), opener.Open);

    private PageCursor Run(IDevice device, long end = Pages) => new(device, _folder.File("nodes"), _entry, PageKind.PlainNodes, end);
}

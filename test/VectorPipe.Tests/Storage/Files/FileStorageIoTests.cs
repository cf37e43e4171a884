using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Win32.SafeHandles;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Files;

/// <summary>Reserved room exists, and direct writes bypass the page cache if the file system can.</summary>
public sealed class FileStorageIoTests
{
    private const int Page = PageCodec.PageUnit;

    private readonly FileStorageIo _io = FileStorageIo.Instance;

    private TemporaryFolder _folder = null!;

    private string FilePath => _folder.File("file");

    [SetUp]
    public void CreateFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void DeleteFolder() => _folder.Dispose();

    [Test]
    [Platform("Linux")]
    public void A_file_with_direct_reads_is_written_directly()
    {
        using SafeFileHandle file = _io.Create(FilePath, isReserved: false, 0, isDirect: true);
        using NativeBuffer page = new(Page);
        _io.Write(file, page.Span(0, Page), 0);
        using DeviceFile device = DeviceFile.Open(FilePath, NullLogger.Instance);
        if (!device.IsDirect)
            Assert.Ignore("The file system has no direct access.");
        Assert.That(PageCacheBypass.TryDisable(file), Is.True, "direct access was on");
        Assert.That(PageCacheBypass.TryDisable(file), Is.False, "direct access is off");
    }

    [Test]
    public void A_file_for_the_page_cache_is_not_direct()
    {
        using SafeFileHandle file = _io.Create(FilePath, isReserved: false, 0, isDirect: false);
        Assert.That(PageCacheBypass.TryDisable(file), Is.False);
    }

    [Test]
    public void A_direct_write_that_the_file_system_refuses_goes_through_the_page_cache()
    {
        byte[] bytes = [1, 2, 3];
        using (SafeFileHandle file = _io.Create(FilePath, isReserved: false, 0, isDirect: true))
            _io.Write(file, bytes, 5);
        Assert.That(File.ReadAllBytes(FilePath), Is.EqualTo(new byte[] { 0, 0, 0, 0, 0, 1, 2, 3 }));
    }

    [Test]
    public void Pages_can_be_read_while_the_file_is_written()
    {
        const int Pages = 16;
        int[] order = [.. Enumerable.Range(0, Pages)];
        new Random(7).Shuffle(order);
        using NativeBuffer page = new(Page);
        using SafeFileHandle file = _io.Create(FilePath, isReserved: false, Pages * Page, isDirect: true);
        _io.SetLength(file, Pages * Page);
        using FileStream reader = File.Open(FilePath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        foreach (int number in order)
        {
            page.Span(0, Page).Fill((byte)(number + 1));
            _io.Write(file, page.Span(0, Page), number * Page);
            byte[] read = new byte[Page];
            RandomAccess.Read(reader.SafeFileHandle, read, number * Page);
            Assert.That(read, Has.All.EqualTo((byte)(number + 1)), $"page {number}");
        }
    }

    [Test]
    public void Reserved_room_has_no_length_and_only_its_writer_takes_it()
    {
        _io.Create(FilePath, isReserved: false, 10 * Page, isDirect: false).Dispose();
        Assert.That(new FileInfo(FilePath).Length, Is.Zero);
        Assert.That(
            () => _io.Create(FilePath, isReserved: false, 0, isDirect: false), Throws.InstanceOf<IOException>(),
            "the file may belong to another writer");
        using (SafeFileHandle file = _io.Create(FilePath, isReserved: true, 10 * Page, isDirect: false))
            _io.Write(file, [1, 2, 3], 0);
        Assert.That(File.ReadAllBytes(FilePath), Is.EqualTo(new byte[] { 1, 2, 3 }));
        Assert.That(
            () => _io.Create(FilePath, isReserved: true, 0, isDirect: false), Throws.InstanceOf<IOException>(), "the file has content now");
    }

    [Test]
    public void Reserved_room_takes_disk_space_and_returns_it_with_the_length()
    {
        using SmallDisk disk = SmallDisk.MountOrIgnore(_folder.File("disk"), "256k");
        string first = Path.Combine(disk.Path, "first"), second = Path.Combine(disk.Path, "second");
        _io.Create(first, isReserved: false, 160 * 1024, isDirect: true).Dispose();
        Assert.That(
            () => _io.Create(second, isReserved: false, 160 * 1024, isDirect: true),
            Throws.InstanceOf<IOException>().With.Message.Contains("full"));
        Assert.That(File.Exists(second), Is.False);
        using (SafeFileHandle file = _io.Create(first, isReserved: true, 160 * 1024, isDirect: true))
            _io.SetLength(file, 0);
        _io.Create(second, isReserved: false, 160 * 1024, isDirect: true).Dispose();
    }
}

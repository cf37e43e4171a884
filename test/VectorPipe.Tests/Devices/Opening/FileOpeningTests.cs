using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Win32.SafeHandles;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Devices.Opening;
using VectorPipe.Model.Errors;

namespace VectorPipe.Tests.Devices.Opening;

/// <summary>Files are opened past the page cache as each operating system can, and through it where that is refused.</summary>
public sealed class FileOpeningTests
{
    private const FileOptions WindowsOptions = FileOptions.RandomAccess | FileOptions.Asynchronous;

    [Test]
    public void Windows_is_asked_for_unbuffered_reads_that_do_not_wait_for_each_other()
    {
        using PatternFile pattern = new(8192);
        List<FileOptions> asked = [];
        RecordingLogger logger = new();
        using DeviceFile file = DeviceFile.Open(pattern.Path, logger, new WindowsOpening((path, options) =>
        {
            asked.Add(options);
            return FileOpening.OpenShared(path, options);
        }));
        Assert.That(asked, Is.EqualTo(new[] { WindowsOptions | WindowsOpening.NoBuffering }));
        Assert.That(file.IsDirect);
        Assert.That(file.Alignment, Is.EqualTo(4096));
        Assert.That(logger.Messages, Is.Empty);
    }

    [Test]
    public void Windows_reads_buffered_with_a_warning_where_it_refuses_to_open_a_file_unbuffered()
    {
        using PatternFile pattern = new(8192);
        RecordingLogger logger = new();
        using DeviceFile file = DeviceFile.Open(pattern.Path, logger, new WindowsOpening((path, options) =>
            (options & WindowsOpening.NoBuffering) == 0
                ? FileOpening.OpenShared(path, options)
                : throw new IOException("not like this")));
        AssertBuffered(file, logger, "not like this");
    }

    [Test]
    public void Windows_reads_buffered_with_a_warning_where_a_trial_read_fails()
    {
        using PatternFile pattern = new(8192);
        RecordingLogger logger = new();
        SafeFileHandle? tried = null;
        using DeviceFile file = DeviceFile.Open(pattern.Path, logger, new WindowsOpening((path, options) =>
        {
            if ((options & WindowsOpening.NoBuffering) == 0)
                return FileOpening.OpenShared(path, options);
            return tried = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        }));
        Assert.That(tried!.IsClosed);
        AssertBuffered(file, logger, "");
    }

    [Test]
    public void A_file_that_cannot_be_opened_fails_with_its_own_error([Values] bool isMac)
    {
        IFileOpening opening = isMac ? new MacOpening(_ => 0) : new WindowsOpening();
        string missing = Path.Combine(TestContext.CurrentContext.WorkDirectory, "no such file.bin");
        Assert.That(
            () => DeviceFile.Open(missing, NullLogger.Instance, opening),
            Throws.TypeOf<DeviceException>().With.Message.Contains("no such file.bin").And.InnerException.TypeOf<FileNotFoundException>());
        Assert.That(
            () => DeviceFile.Open(TestContext.CurrentContext.WorkDirectory, NullLogger.Instance, opening),
            Throws.TypeOf<DeviceException>());
    }

    [Test]
    public void MacOS_reads_past_its_cache_where_fcntl_agrees_and_through_it_with_a_warning_where_not()
    {
        using PatternFile pattern = new(8192);
        RecordingLogger logger = new();
        using (DeviceFile file = DeviceFile.Open(pattern.Path, logger, new MacOpening(_ => 0)))
        {
            Assert.That(file.IsDirect);
            Assert.That(file.Alignment, Is.EqualTo(4096));
            Assert.That(logger.Messages, Is.Empty);
        }

        using (DeviceFile file = DeviceFile.Open(pattern.Path, logger, new MacOpening(_ => -Errno.EINVAL)))
            AssertBuffered(file, logger, "");
    }

    [Test]
    public void Another_system_reads_through_its_page_cache_with_a_warning()
    {
        using PatternFile pattern = new(8192);
        RecordingLogger logger = new();
        using DeviceFile file = DeviceFile.Open(pattern.Path, logger, new BufferedOpening());
        AssertBuffered(file, logger, "operating system");
    }

    [Test]
    public void An_open_file_can_be_renamed_and_deleted()
    {
        string path = Path.Combine(TestContext.CurrentContext.WorkDirectory, $"shared-{Guid.NewGuid():N}.bin");
        File.WriteAllBytes(path, PatternFile.Bytes(8192));
        foreach (IFileOpening opening in (IFileOpening[])[FileOpening.OfThisSystem, new WindowsOpening(), new BufferedOpening()])
        {
            using DeviceFile file = DeviceFile.Open(path, NullLogger.Instance, opening);
            File.Move(path, path + ".moved");
            File.Delete(path + ".moved");
            File.WriteAllBytes(path, PatternFile.Bytes(8192));
        }

        File.Delete(path);
    }

    [Test]
    [Platform("Linux")]
    public void The_call_of_fcntl_for_macOS_also_passes_its_argument_in_a_register()
    {
        const int nonBlocking = 0x800;
        using PatternFile pattern = new(4096);
        using SafeFileHandle file = FileOpening.OpenShared(pattern.Path, FileOptions.None);
        int flags = Libc.Fcntl(file, Libc.F_GETFL, 0);
        Assert.That(flags & nonBlocking, Is.Zero);
        Assert.That(Libc.FcntlOfMac(file, Libc.F_SETFL, flags | nonBlocking), Is.Zero);
        Assert.That(Libc.Fcntl(file, Libc.F_GETFL, 0) & nonBlocking, Is.EqualTo(nonBlocking));
    }

    [Test]
    [Platform("MacOsX")]
    public void MacOS_agrees_to_keep_nothing_in_its_cache()
    {
        using PatternFile pattern = new(8192);
        OpenedFile file = new MacOpening().Open(pattern.Path);
        file.Handle.Dispose();
        Assert.That(file.Refusal, Is.Null);
    }

    private static void AssertBuffered(DeviceFile file, RecordingLogger logger, string reason)
    {
        Assert.That(file.IsDirect, Is.False);
        Assert.That(file.Alignment, Is.EqualTo(1));
        Assert.That(logger.Messages, Has.Count.EqualTo(1));
        Assert.That(logger.Messages[0], Does.Contain("buffered").And.Contain(file.Path).And.Contain(reason));
    }
}

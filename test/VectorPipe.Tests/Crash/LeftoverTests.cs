using System.Runtime.Versioning;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Searching;
using VectorPipe.Storage;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Crash;

/// <summary>An index is whole whatever lies beside it: what a dead writer left over and nobody can delete does not keep it from being opened.</summary>
public sealed class LeftoverTests
{
    private const string Leftover = "nodes-000099.vp";

    private TestIndex _test = null!;
    private string _leftover = null!;

    [SetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: 60, dimension: 16);
        _leftover = Path.Combine(_test.Directory, Leftover);
        File.WriteAllBytes(_leftover, [1]);
    }

    [TearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void Leftovers_are_deleted_and_named()
    {
        RecordingLogger logger = Open(new FaultyStorageIo(StorageFault.IoError, int.MaxValue));
        Assert.That(File.Exists(_leftover), Is.False);
        Assert.That(logger.Messages, Has.One.Contains("Deleted left-overs").And.Contains(Leftover));
    }

    [Test]
    public void An_error_at_any_step_of_deleting_is_logged_and_the_index_opens([Values] bool always)
    {
        FaultyStorageIo counting = new(StorageFault.IoError, int.MaxValue);
        Open(counting);
        Assert.That(counting.Operations, Is.EqualTo(3), "lock, sync, delete");
        for (int k = 0; k < counting.Operations; k++)
        {
            File.WriteAllBytes(_leftover, [1]);
            FaultyStorageIo io = new(StorageFault.IoError, k, always);
            RecordingLogger logger = Open(io);
            Assert.That(io.Failed, Is.Not.Null, $"step {k}");
            Assert.That(File.Exists(_leftover), Is.True, $"step {k}: {io.Failed}");

            // A lock that cannot be had is another writer's, whose files these are: nothing to tell.
            int told = logger.Messages.Count(message => message.Contains("could not be deleted", StringComparison.Ordinal) && message.Contains(_test.Directory, StringComparison.Ordinal));
            Assert.That(told, Is.EqualTo(k == 0 ? 0 : 1), $"step {k}: {io.Failed}");
        }
    }

    [Test]
    [Platform(Exclude = "Win", Reason = "Folders have other permissions there.")]
    [UnsupportedOSPlatform("windows")]
    public void A_reader_that_may_not_write_opens_the_index([Values] bool mayLock)
    {
        UnixFileMode readOnly = UnixFileMode.UserRead | UnixFileMode.UserExecute;
        string writeLock = Path.Combine(_test.Directory, WriteLock.Name);
        if (mayLock)
            File.WriteAllBytes(writeLock, []);
        else
            File.Delete(writeLock);
        File.SetUnixFileMode(_test.Directory, readOnly);
        try
        {
            if (MayWrite())
                Assert.Ignore("This user may write everywhere.");
            RecordingLogger logger = Open(FileStorageIo.Instance);
            Assert.That(File.Exists(_leftover), Is.True);
            Assert.That(logger.Messages, Has.One.Contains("could not be deleted").And.Contains(_test.Directory));
        }
        finally
        {
            File.SetUnixFileMode(_test.Directory, readOnly | UnixFileMode.UserWrite);
        }
    }

    private RecordingLogger Open(IStorageIo io)
    {
        RecordingLogger logger = new();
        OpenOptions options = new() { Device = new DeviceOptions { Kind = DeviceKind.Memory } };
        using SearchIndex index = IndexLoader.Load(_test.Directory, options, logger, CancellationToken.None, io: io);
        Assert.That(index.Schema.Count, Is.EqualTo(60));
        return logger;
    }

    private bool MayWrite()
    {
        try
        {
            string probe = Path.Combine(_test.Directory, "probe");
            File.WriteAllBytes(probe, []);
            File.Delete(probe);
            return true;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
    }
}

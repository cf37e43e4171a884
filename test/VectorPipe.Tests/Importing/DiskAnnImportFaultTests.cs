using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Model.Errors;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Importing;

/// <summary>An import that fails, is cancelled or meets another writer leaves no index, or the previous one.</summary>
internal sealed class DiskAnnImportFaultTests
{
    private DiskAnnImport _import = null!;

    [SetUp]
    public void WriteFiles() => _import = new DiskAnnImport();

    [TearDown]
    public void RemoveFolder() => _import.Dispose();

    [Test]
    public void A_refused_import_leaves_the_previous_index()
    {
        _import.Import();
        string[] before = Directory.GetFiles(_import.Index);
        _import.Change(DiskAnnImport.DiskIndex, DiskAnnImport.Node3 + 16, 9);
        Assert.That(() => _import.Import(), Throws.InstanceOf<VectorFormatException>());
        Assert.That(Directory.GetFiles(_import.Index), Is.EquivalentTo(before));
        Assert.That(VectorIndex.Inspect(_import.Index).Generation, Is.EqualTo(1));
    }

    [Test]
    public void A_cancelled_import_leaves_nothing([Values("identify", "nodes", "codes")] string phase)
    {
        using var cancellation = new CancellationTokenSource();
        var progress = new CancelIn(phase, cancellation);
        Assert.That(
            async () =>
            await new DiskAnnImporter(_import.Index)
            .ImportAsync(_import.Prefix, elementType: VectorElementType.UInt8, progress: progress, cancellationToken: cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        _import.AssertNothingLeft();
    }

    [Test]
    public void A_second_writer_is_refused()
    {
        Directory.CreateDirectory(_import.Index);
        using (WriteLock.Take(_import.Index, FileStorageIo.Instance))
            Assert.That(() => _import.Import(), Throws.InstanceOf<IndexWriteException>().With.Message.Contains("only writer"));
        Assert.That(() => _import.Import(), Throws.Nothing);
    }

    [TestCase(4)]
    [TestCase(1, Category = "Heavy")]
    public void An_error_at_any_operation_on_storage_leaves_no_index_or_the_whole_one(int oneIn)
    {
        Exception? error;
        int k = 0;
        do
        {
            var io = new FaultyStorageIo(StorageFault.IoError, k, always: false);
            error = DiskAnnImport.Catch(
                () =>
                new DiskAnnImporter(_import.Index, null, io).ImportAsync(_import.Prefix, elementType: VectorElementType.UInt8)
                .GetAwaiter().GetResult());
            Assert.That(error, Is.Null.Or.InstanceOf<IndexWriteException>(), $"operation {k}");
            if (File.Exists(Path.Combine(_import.Index, IndexDirectory.ManifestName)))
                Assert.That(VectorIndex.VerifyAsync(_import.Index).GetAwaiter().GetResult().Defects, Is.Empty, $"operation {k}");
            if (Directory.Exists(_import.Index))
                Directory.Delete(_import.Index, recursive: true);
            k += oneIn;
        }
        while (error is not null || k < 5);
        Assert.That(k, Is.GreaterThan(10), "every operation was made to fail");
    }

    [TestCase(4)]
    [TestCase(1, Category = "Heavy")]
    public void A_read_that_fails_ends_the_import_with_a_typed_error_and_leaves_nothing(int oneIn)
    {
        var counting = new FaultOpener(_ => default);
        _import.Import(counting);
        Directory.Delete(_import.Index, recursive: true);
        Assert.That(counting.Reads, Is.AtLeast(3), "the import identifies the files, then converts them");
        for (int failing = 0; failing < counting.Reads; failing += oneIn)
        {
            var faults = new FaultOpener(read => read == failing ? new Fault(FaultKind.Errno, Errno.EIO) : default);
            Assert.That(
                () => _import.Import(faults),
                Throws.TypeOf<DeviceException>().With.Message.Contains(_import.Prefix).And.Property("ErrorNumber").EqualTo(Errno.EIO),
                $"read {failing}");
            _import.AssertNothingLeft();
        }
    }

    [TestCase(1)]
    [TestCase(4, Category = "Heavy")]
    public void Reads_that_come_late_short_or_twice_change_nothing(int shifts)
    {
        _import.Import();
        Dictionary<string, byte[]> expected = Contents();
        Directory.Delete(_import.Index, recursive: true);
        Fault[] faults = [new(FaultKind.Delay, 2), new(FaultKind.Short, 512), new(FaultKind.Duplicate), new(FaultKind.Errno, Errno.EAGAIN)];
        for (int i = 0; i < shifts; i++)
        {
            int shift = i;
            _import.Import(new FaultOpener(read => faults[(read + shift) % faults.Length]));
            Assert.That(Contents(), Is.EqualTo(expected));
            Directory.Delete(_import.Index, recursive: true);
        }
    }

    private Dictionary<string, byte[]> Contents() =>
        Directory.EnumerateFiles(_import.Index).ToDictionary(path => Path.GetFileName(path), File.ReadAllBytes);

    private sealed class CancelIn(string phase, CancellationTokenSource cancellation) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value)
        {
            if (value.Phase == phase)
                cancellation.Cancel();
        }
    }
}

using NUnit.Framework;
using VectorPipe.Storage.Records;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Storage.Records;

/// <summary>Every operation of the storage fails: the writer reports it and leaves no file, the reader reports it and goes on.</summary>
[Parallelizable(ParallelScope.All)]
internal sealed class RecordFaultTests
{
    // Five pieces of a mebibyte.
    private static readonly (ulong Handle, int Length)[] _records =
        [.. Enumerable.Range(0, 5000).Select(i => (RecordFileTests.HandleOf(i), 1000))];

    [TestCase(StorageFault.IoError, 3)]
    [TestCase(StorageFault.ShortWrite, 3)]
    [TestCase(StorageFault.DiskFull, 3)]
    [TestCase(StorageFault.IoError, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, 1, Category = "Heavy")]
    public void Each_operation_that_fails_is_a_typed_error_and_leaves_no_file(StorageFault fault, int every)
    {
        var counter = new FaultyStorageIo(fault, int.MaxValue);
        using (var files = new RecordFiles())
            files.Write(_records, counter);

        // Of each file: two creations, the pieces, the header, the length and the sync.
        Assert.That(counter.Operations, Is.GreaterThan(12));

        // The kinds of faults begin at different operations, so that together they meet all of them.
        for (int failAt = (int)fault % every; failAt < counter.Operations; failAt += every)
        {
            using var files = new RecordFiles();
            var io = new FaultyStorageIo(fault, failAt);
            Assert.That(
                () => files.Write(_records, io), Throws.TypeOf<IndexWriteException>().With.Message.Contains(files.Directory),
                $"operation {failAt}");
            Assert.That(io.Failed, Is.Not.Null, $"operation {failAt}");
            Assert.That(files.FileNames, Is.Empty, $"{fault} at {io.Failed}");

            // The names are free for another try.
            RecordFileInfo info = files.Write(_records);
            using RecordFile file = files.Open(info);
            Assert.That(file.FindBytes(_records[77].Handle), Is.EqualTo(RecordFiles.Body(_records[77].Handle, 1000)));
        }

        TestContext.Out.WriteLine($"faults: {counter.Operations / every}, {fault} in a record file");
    }

    [Test]
    public void A_deletion_that_fails_does_not_hide_the_error_before_it()
    {
        using var files = new RecordFiles();
        var io = new FaultyStorageIo(StorageFault.DiskFull, failAt: 4, always: true);
        Assert.That(
            () => files.Write(_records, io), Throws.TypeOf<IndexWriteException>().With.Message.Contains(files.HeapPath));
    }

    [Test]
    public void A_finished_file_was_synced_after_its_last_write()
    {
        using var files = new RecordFiles();
        var io = new RecordingStorageIo();
        files.Write(_records, io);
        foreach (string name in new[] { RecordFiles.HeapName, RecordFiles.KeysName })
        {
            StorageOperation[] operations = [.. io.Operations.Where(operation => operation.Name == name)];
            Assert.That(operations[^1].Kind, Is.EqualTo(StorageOperationKind.Sync), name);
            Assert.That(operations.Count(operation => operation.Kind == StorageOperationKind.Write), Is.GreaterThan(1), name);
        }
    }

    [TestCase(5)]
    [TestCase(1, Category = "Heavy")]
    public void Each_read_that_fails_is_a_typed_error_and_the_next_succeeds(int every)
    {
        using var files = new RecordFiles();
        RecordFileInfo info = files.Write(_records);
        ulong handle = _records[4000].Handle;
        AssertEachReadMayFail(files, info, 1, file => Assert.That(file.FindBytes(handle), Is.Not.Null));
        AssertEachReadMayFail(files, info, every, file => Assert.That(file.ReadAll().Count(), Is.EqualTo(_records.Length)));
        AssertEachReadMayFail(files, info, every, file => file.Verify(CancellationToken.None));
        for (int failAt = 0; failAt < 2; failAt++)
            Assert.That(() => files.Open(info, new CountingReadsIo(failAt)), Throws.TypeOf<DeviceException>(), "a header");
    }

    private static void AssertEachReadMayFail(RecordFiles files, RecordFileInfo info, int every, Action<RecordFile> action)
    {
        int reads = 0;
        for (int failAt = 0; failAt == 0 || failAt < reads; failAt += every)
        {
            // Opening takes two reads.
            var io = new CountingReadsIo(failAt + 2);
            using RecordFile file = files.Open(info, io);
            Assert.That(() => action(file), Throws.TypeOf<DeviceException>().With.Message.Contains(", page "), $"read {failAt}");
            int before = io.Reads;
            action(file);
            reads = io.Reads - before;
        }

        Assert.That(reads, Is.GreaterThan(1));
    }
}

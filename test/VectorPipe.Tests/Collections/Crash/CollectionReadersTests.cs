using System.Runtime.Versioning;
using NUnit.Framework;
using VectorPipe.Collections.Manifests;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>Scans and the writers of other processes: what is replaced is said, what is read is left as it is.</summary>
[TestFixture]
public sealed class CollectionReadersTests
{
    private static readonly CollectionSchema _schema = new() { Dimension = 2 };

    [TestCase(false)]
    [TestCase(true)]
    public async Task A_scan_that_begins_after_another_process_has_rebuilt_fails_with_an_error_that_says_so(bool hasCheckpoint)
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Vectors.RestoreAsync(folder.Path);
        await using VectorCollection<ulong> writer = await OpenAsync(folder.Path);
        if (hasCheckpoint)
            await CheckpointAsync(writer);
        await using VectorCollection<ulong> reader = await OpenAsync(folder.Path, isReader: true);
        Assert.That(reader.Store.State.View.Changes is not null, Is.EqualTo(hasCheckpoint));
        await CheckpointSizes.Vectors.Records.UpsertAsync(writer, 1, 7);
        Assert.That(await writer.CompactAsync());
        Assert.That(
            async () => await reader.ScanAsync().CountAsync(),
            Throws.TypeOf<DeviceException>().With.Message.Contains("open the collection again"));
        Assert.That(
            () => reader.ExportAsync(Path.Combine(folder.Path, "export")),
            Throws.TypeOf<DeviceException>().With.Message.Contains("open the collection again"));
    }

    [Test]
    public async Task Verification_is_right_when_the_generation_is_replaced_meanwhile()
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Vectors.RestoreAsync(folder.Path);
        await using VectorCollection<ulong> writer = await OpenAsync(folder.Path);
        await CheckpointAsync(writer);
        Task<bool>? compaction = null;
        var replace = new FirstReport(() => (compaction = writer.CompactAsync()).Wait());
        VerifyReport report = await VectorCollection.VerifyAsync(folder.Path, 1, replace);
        Assert.That(compaction?.IsCompletedSuccessfully, Is.True, "it was replaced meanwhile");

        // Segments of the log are shorter here than those of programs.
        Assert.That(report.Defects.Where(defect => !defect.Contains("log-", StringComparison.Ordinal)), Is.Empty);
    }

    [TestCase(true)]
    [TestCase(false)]
    public async Task A_scan_that_outlives_its_collection_is_seen_by_the_next_writer(bool isReader)
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Vectors.RestoreAsync(folder.Path);
        var files = new CollectionFolder(folder.Path, new UnsyncedStorageIo(refuses: false));
        await using (VectorCollection<ulong> writer = await OpenAsync(folder.Path))
            await CheckpointAsync(writer);
        VectorCollection<ulong> collection = await OpenAsync(folder.Path, isReader);
        await using (IAsyncEnumerator<CollectionRecord<ulong>> scan = collection.ScanAsync().GetAsyncEnumerator())
        {
            Assert.That(await scan.MoveNextAsync());
            await collection.DisposeAsync();
            Assert.That(files.IsUnread(), Is.False, "while it reads");
        }

        Assert.That(files.IsUnread(), "when it has ended");
    }

    [Test]
    [Category("OrdinaryUser")]
    [UnsupportedOSPlatform("windows")]
    public async Task A_file_that_a_reader_may_not_read_is_a_typed_error()
    {
        Assume.That(Environment.IsPrivilegedProcess, Is.False, "the superuser may read anything");
        using var folder = new CollectionDirectory();
        await using (VectorCollection<int> writer = await folder.OpenAsync<int>(schema: _schema))
            await writer.UpsertAsync(1, new float[] { 1, 2 });
        foreach (string path in Directory.GetFiles(folder.Path))
        {
            UnixFileMode before = File.GetUnixFileMode(path);
            File.SetUnixFileMode(path, UnixFileMode.None);
            string name = Path.GetFileName(path);
            bool isOpen = false;
            try
            {
                await using VectorCollection<int> reader =
                    await folder.OpenAsync<int>(CollectionDirectory.Options with { ReadOnly = true }, schema: _schema);
                isOpen = true;
            }
            catch (DeviceException e)
            {
                Assert.That(e.Message, Does.Contain(folder.Path), name);
            }

            // A reader takes no lock of writers.
            Assert.That(isOpen, Is.EqualTo(name == WriteLock.Name), name);
            File.SetUnixFileMode(path, before);
        }
    }

    [Test]
    public async Task A_reader_opens_a_collection_whose_log_grows_while_it_is_read()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> writer = await folder.OpenAsync<int>(schema: _schema);
        int written = 0;
        Write();
        int before = written;
        var io = new WatchedStorageIo(static _ => { })
        {
            BeforeRead = path =>
            {
                if (Path.GetFileName(path).StartsWith("log-", StringComparison.Ordinal))
                    Write();
            },
        };
        await using VectorCollection<int> reader = await folder.OpenAsync<int>(
            CollectionDirectory.Options with { ReadOnly = true }, io, _schema);
        Assert.That(reader.Count, Is.GreaterThanOrEqualTo(before));
        Assert.That(await reader.SearchAsync(new float[] { 1, 0 }, (int)reader.Count), Has.Count.EqualTo((int)reader.Count));

        void Write()
        {
            for (int i = 0; i < 3; i++)
                writer.UpsertAsync(written++, new float[] { 1, written }).GetAwaiter().GetResult();
        }
    }

    private static Task<VectorCollection<ulong>> OpenAsync(string directory, bool isReader = false)
    {
        CrashRecords<ulong> records = CheckpointSizes.Vectors.Records;
        CollectionOptions options = CollectionDirectory.Options with { Tuning = records.Tuning, ReadOnly = isReader };
        return VectorCollection<ulong>.OpenAsync(directory, records.OwnSchema, options, new UnsyncedStorageIo(refuses: false), default);
    }

    private static async Task CheckpointAsync(VectorCollection<ulong> collection)
    {
        WriteBatch<ulong> batch = collection.CreateBatch();
        for (int key = 0; key < 20; key++)
            CheckpointSizes.Vectors.Records.Upsert(batch, key, 2);
        await collection.WriteAsync(batch);
        await collection.FlushAsync();
        await collection.WaitForRebuildAsync();
        Assert.That(collection.Store.State.View.Checkpoint, Is.EqualTo(1));
    }

    private sealed class FirstReport(Action action) : IProgress<BuildProgress>
    {
        private Action? _action = action;

        public void Report(BuildProgress value) => Interlocked.Exchange(ref _action, null)?.Invoke();
    }
}

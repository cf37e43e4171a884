using NUnit.Framework;
using VectorPipe.Collections.Manifests;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>Scans and the writers of other processes: what is replaced is said, what is read is left as it is.</summary>
[TestFixture]
public sealed class CollectionReadersTests
{
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
}

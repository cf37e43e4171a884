using NUnit.Framework;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Storage.Files;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>No writer opens, renames or deletes a file in a way that Windows refuses, where a file is open already.</summary>
public sealed class SharingTests
{
    [Test]
    public async Task Checkpoints_rebuilds_and_the_log_of_a_collection_keep_the_rules_of_Windows([Values] bool hasRecords)
    {
        using var folder = new CollectionDirectory();
        var io = new SharingRulesStorageIo(new UnsyncedStorageIo(refuses: false));
        if (hasRecords)
            await RunAsync(CheckpointSizes.Records, folder.Path, io);
        else
            await RunAsync(CheckpointSizes.Vectors, folder.Path, io);
        Assert.That(io.Refused, Is.Empty);
        Assert.That(io.Changes.Keys, Is.SupersetOf(new[] { "update", "rename", "delete", "delete a folder" }));
    }

    [Test]
    public void A_build_that_replaces_an_index_keeps_the_rules_of_Windows()
    {
        using var index = new ReplacedIndex();
        var io = new SharingRulesStorageIo(new UnsyncedStorageIo(refuses: false));
        index.Restore(index.Old);
        index.Build(io);
        Assert.That(index.Examine("with sharing rules"), Is.EqualTo(IndexOutcome.New));
        Assert.That(io.Refused, Is.Empty);
        Assert.That(io.Changes.Keys, Is.SupersetOf(new[] { "rename", "delete" }));
    }

    [Test]
    public void The_rules_refuse_what_Windows_refuses()
    {
        using var folder = new CollectionDirectory();
        var io = new SharingRulesStorageIo(new UnsyncedStorageIo(refuses: false));
        string first = Path.Combine(folder.Path, "first"), second = Path.Combine(folder.Path, "second");
        using (io.Create(first, isReserved: false, 0, isDirect: false))
        {
            io.OpenForReading(first).Dispose();
            Assert.That(() => io.OpenForUpdate(first, isDirect: false), Throws.TypeOf<IOException>(), "two writers");
            Assert.That(() => io.Delete(first), Throws.TypeOf<IOException>(), "deletion under a writer");
            Assert.That(() => io.Rename(first, second), Throws.TypeOf<IOException>(), "rename under a writer");
        }

        using (io.OpenForReading(first))
        {
            io.Rename(first, second);
            io.Create(first, isReserved: false, 0, isDirect: false).Dispose();
            Assert.That(() => io.Rename(first, second), Throws.TypeOf<IOException>(), "replacement under a reader");
            io.Delete(second);
            Assert.That(() => io.DeleteDirectory(folder.Path), Throws.TypeOf<IOException>(), "deletion of a folder under a reader");
        }

        Assert.That(io.Refused, Has.Count.EqualTo(5));
    }

    private static async Task RunAsync<TKey>(Prepared<TKey> prepared, string directory, SharingRulesStorageIo io)
        where TKey : notnull
    {
        CrashRecords<TKey> records = prepared.Records;
        await prepared.RestoreAsync(directory);
        for (int opened = 1; opened <= 2; opened++)
        {
            await using VectorCollection<TKey> collection = await CrashScript<TKey>.OpenAsync(directory, records, io);
            for (int round = 0; round < 3; round++)
            {
                WriteBatch<TKey> batch = collection.CreateBatch();
                for (int key = 0; key < 20; key++)
                    records.Upsert(batch, (round * 10) + key, opened + round);
                await collection.WriteAsync(batch);
                await collection.FlushAsync();
                await collection.WaitForRebuildAsync();
            }

            Assert.That(collection.Store.State.View.Checkpoint, Is.Positive);
            Assert.That(await collection.CompactAsync());
            Assert.That(await collection.ScanAsync().CountAsync(), Is.EqualTo(collection.Count));
        }
    }
}

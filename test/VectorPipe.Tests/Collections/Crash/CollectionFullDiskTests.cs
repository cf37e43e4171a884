using NUnit.Framework;
using VectorPipe.Model.Collections;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>On a full disk writes and rebuilds fail with an error that says so; reads go on, and nothing is lost.</summary>
[TestFixture]
public sealed class CollectionFullDiskTests
{
    private static readonly CrashRecords<ulong> _records = new(key => (ulong)key + 1);

    [Test]
    public async Task Deletions_go_on_when_insertions_find_no_room()
    {
        const int Blocks = 16;
        using var folder = new CollectionDirectory();
        string directory = Path.Combine(folder.Path, "c");
        CollectionOptions options = CollectionDirectory.Options with { Tuning = new CollectionTuning { SegmentBlocks = Blocks } };
        var schema = new CollectionSchema { Dimension = 2 };
        var oneSegment = new SmallStorageIo((Blocks * 4096) + 8192, new UnsyncedStorageIo(refuses: false));
        int written = 0, left;
        await using (VectorCollection<int> collection = await OpenAsync(oneSegment))
        {
            while (written < Blocks)
            {
                try
                {
                    await collection.UpsertAsync(written, new float[] { 1, written });
                    written++;
                }
                catch (IndexWriteException e)
                {
                    Assert.That(e.Message, Does.Contain("deletions go on: No space left"));
                    break;
                }
            }

            Assert.That(written, Is.EqualTo((Blocks / 2) + 1), "half of the segment is kept");
            Assert.That(collection.Status.IsReadOnly, Is.False);
            for (int key = 0; key < Blocks - written; key++)
                Assert.That(await collection.DeleteAsync(key));
            IndexWriteException? full = await Assert.ThrowsAsync<IndexWriteException>(() => collection.DeleteAsync(Blocks - written));
            Assert.That(full!.Message, Does.Contain("expected room for the log to grow").And.Contain("No space left"));
            Assert.That(collection.Status.IsReadOnly, Is.False, "it waits for room");
            Assert.That(collection.Count, Is.EqualTo(left = written - (Blocks - written)));
            Assert.That(await collection.GetAsync(Blocks - written), Is.Not.Null, "what was refused was not made");
        }

        await using VectorCollection<int> again = await OpenAsync(new UnsyncedStorageIo(refuses: false));
        Assert.That(again.Count, Is.EqualTo(left));
        for (int key = 0; key < 3 * Blocks; key++)
            await again.UpsertAsync(key, new float[] { 1, key });
        Assert.That(again.Count, Is.EqualTo(3 * Blocks));

        Task<VectorCollection<int>> OpenAsync(IStorageIo io) => VectorCollection<int>.OpenAsync(directory, schema, options, io, default);
    }

    [Test]
    public async Task A_batch_for_which_the_log_has_no_room_is_refused_and_smaller_ones_are_not()
    {
        const int Blocks = 64;
        using var folder = new CollectionDirectory();
        string directory = Path.Combine(folder.Path, "c");
        var schema = new CollectionSchema { Dimension = 2 };
        var oneSegment = new SmallStorageIo((Blocks * 4096) + 8192, new UnsyncedStorageIo(refuses: false));
        await using VectorCollection<int> collection = await VectorCollection<int>.OpenAsync(
            directory, schema, CollectionDirectory.Options with { Tuning = new CollectionTuning() }, oneSegment, default);
        WriteBatch<int> large = collection.CreateBatch();
        for (int key = 0; key < 4; key++)
            large.Upsert(key, new float[] { 1, key }, null, new byte[100_000]);
        IndexWriteException? full = await Assert.ThrowsAsync<IndexWriteException>(() => collection.WriteAsync(large));
        Assert.That(full!.Message, Does.Contain("expected room for the log to grow").And.Contain("No space left"));
        Assert.That((collection.Status.IsReadOnly, collection.Count), Is.EqualTo((false, 0)));
        await collection.UpsertAsync(9, new float[] { 1, 9 });
        Assert.That(collection.Count, Is.EqualTo(1));
    }

    [TestCase(3)]
    [TestCase(300, Category = "Heavy")]
    public async Task A_full_disk_loses_nothing(int rooms)
    {
        var large = new SmallStorageIo(long.MaxValue, new UnsyncedStorageIo(refuses: false));
        using (var folder = new CollectionDirectory())
            await new CrashScript<ulong>(Path.Combine(folder.Path, "c"), _records, large).RunAsync();
        int full = 0;
        for (int i = 0; i < rooms; i++)
        {
            long room = large.Peak * i / rooms;
            using var folder = new CollectionDirectory();
            string directory = Path.Combine(folder.Path, "c");
            var script = new CrashScript<ulong>(
                directory, _records, new SmallStorageIo(room, new UnsyncedStorageIo(refuses: false)));
            await script.RunAsync();
            full += script.Errors.Count > 0 ? 1 : 0;
            await CrashScript<ulong>.CheckAsync(
                directory, _records, script.History, script.History.Acknowledged, $"room for {room} bytes of {large.Peak}",
                goesOn: i % 4 == 0);
        }

        Assert.That(full, Is.EqualTo(rooms), "each is too small for something");
        FaultTally.Report("full disks of a collection", rooms, rooms);
    }

    [TestCase(false, 2)]
    [TestCase(false, 30, Category = "Heavy")]
    [TestCase(true, 300, Category = "Heavy")]
    public async Task A_full_disk_beside_checkpoints_loses_nothing(bool isWhole, int rooms)
    {
        var large = new SmallStorageIo(long.MaxValue, new UnsyncedStorageIo(refuses: false));
        await RunAsync(large, (_, script) =>
        {
            Assert.That(script.Errors, Is.Empty);
            return Task.CompletedTask;
        });
        int full = 0, cases = 0;
        for (int i = 0; i < rooms; i++, cases++)
        {
            HangBound.Current?.Restart();
            long room = large.Peak * i / rooms;
            await RunAsync(new SmallStorageIo(room, new UnsyncedStorageIo(refuses: false)), async (directory, script) =>
            {
                full += script.Errors.Count > 0 ? 1 : 0;
                await CrashScript<ulong>.CheckAsync(
                    directory, CheckpointSizes.Vectors.Records, script.History, script.History.Acknowledged,
                    $"room for {room} bytes of {large.Peak}", goesOn: i % 4 == 3);
            });
        }

        Assert.That(full, Is.EqualTo(rooms), "each is too small for something");
        FaultTally.Report("full disks beside checkpoints", cases, rooms);

        async Task RunAsync(SmallStorageIo io, Func<string, CrashScript<ulong>, Task> check)
        {
            using var folder = new CollectionDirectory();
            string directory = Path.Combine(folder.Path, "c");
            CrashHistory history = await CheckpointSizes.Vectors.RestoreAsync(directory);
            var script = new CrashScript<ulong>(directory, CheckpointSizes.Vectors.Records, io, history: history) { Lasts = true };
            await (isWhole ? script.RunCheckpointsAsync(CheckpointSizes.Count) : script.RunShortCheckpointsAsync(CheckpointSizes.Count));
            await check(directory, script);
        }
    }

    [Test]
    public async Task A_checkpoint_that_deletions_make_due_gives_the_log_room_for_insertions()
    {
        const int SegmentBytes = 32 * 4096, Inserted = 2000, Due = 60;
        using var folder = new CollectionDirectory();
        string directory = Path.Combine(folder.Path, "c");
        await CheckpointSizes.Vectors.RestoreAsync(directory);
        var records = new CrashRecords<ulong>(key => (ulong)key)
        {
            IsBare = true,
            Tuning = CheckpointSizes.Tuning with { LeastWaiting = Due },
        };
        await using (VectorCollection<ulong> before = await OpenAsync(new UnsyncedStorageIo(refuses: false)))
        {
            // Places that the last checkpoint gives up are enough for the next one: the node file need not grow.
            for (int version = 2; version < 5; version++)
                await WriteAsync(before, Enumerable.Range(0, 200), [], version);
        }

        int written = 0, deleted = 200;
        await using (VectorCollection<ulong> full = await OpenAsync(
            new SmallStorageIo((2 * SegmentBytes) - 8192, new UnsyncedStorageIo(refuses: false))))
        {
            uint checkpoint = full.Store.State.View.Checkpoint;
            while (await TryInsertAsync(full))
                Assert.That(++written, Is.LessThan(Due), "the disk is full before a checkpoint is due");
            await WriteAsync(full, [], Enumerable.Range(200, Due), 0);
            deleted += Due;
            Assert.That(full.Status.RebuildError, Is.Null);
            Assert.That(full.Store.State.View.Checkpoint, Is.EqualTo(checkpoint + 1));
            Assert.That(await TryInsertAsync(full), "the log goes on in a segment that it has given up");
            written++;
        }

        await using VectorCollection<ulong> again = await OpenAsync(new UnsyncedStorageIo(refuses: false));
        SortedDictionary<int, int> found = await records.ReadAsync(again);
        Assert.That(
            found.Keys,
            Is.EqualTo(
                Enumerable.Range(0, 200).Concat(Enumerable.Range(deleted, CheckpointSizes.Count - deleted))
                    .Concat(Enumerable.Range(Inserted, written))));

        Task<VectorCollection<ulong>> OpenAsync(IStorageIo io) => CrashScript<ulong>.OpenAsync(directory, records, io);

        async Task WriteAsync(VectorCollection<ulong> collection, IEnumerable<int> upserts, IEnumerable<int> deletes, int version)
        {
            WriteBatch<ulong> batch = collection.CreateBatch();
            foreach (int key in upserts)
                records.Upsert(batch, key, version);
            foreach (int key in deletes)
                batch.Delete(records.KeyOf(key));
            await collection.WriteAsync(batch);
            await collection.FlushAsync();
            await collection.WaitForRebuildAsync();
        }

        async Task<bool> TryInsertAsync(VectorCollection<ulong> collection)
        {
            try
            {
                await records.UpsertAsync(collection, Inserted + written, 1);
                return true;
            }
            catch (IndexWriteException e)
            {
                Assert.That(e.Message, Does.Contain("deletions go on: No space left"));
                return false;
            }
        }
    }
}

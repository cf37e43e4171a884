using System.Runtime.Versioning;
using NUnit.Framework;
using VectorPipe.Collections.Manifests;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>After a step that failed nothing of it is left: not in answers, and not in open files.</summary>
[TestFixture]
public sealed class FailedStepTests
{
    [Test]
    public async Task Records_of_a_checkpoint_that_failed_are_not_taken_for_those_of_the_next_one()
    {
        using var folder = new CollectionDirectory();
        CrashRecords<string> records = CheckpointSizes.Records.Records;
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        bool fails = false;
        var io = new WatchedStorageIo(path =>
        {
            if (Volatile.Read(ref fails) && path.EndsWith(CollectionFolder.ManifestName + ".tmp", StringComparison.Ordinal))
                throw new IOException("No space left on device");
        });
        CollectionOptions options = CollectionDirectory.Options with { Tuning = records.Tuning };
        await using VectorCollection<string> collection = await VectorCollection<string>.OpenAsync(
            folder.Path, records.OwnSchema, options, io, default);
        Volatile.Write(ref fails, true);
        await WriteAsync(2);
        Assert.That(collection.Status.RebuildError, Is.TypeOf<IndexWriteException>());
        Assert.That(collection.Status.IsReadOnly, Is.False);
        Volatile.Write(ref fails, false);

        // As many records of the same lengths: their files differ in content alone.
        await WriteAsync(11);
        Assert.That((collection.Status.RebuildError, collection.Status.Checkpoints), Is.EqualTo(((Exception?)null, 1)));
        SortedDictionary<int, int> found = await records.ReadAsync(collection);
        Assert.That(found.Where(entry => entry.Value == 11).Select(entry => entry.Key), Is.EqualTo(Enumerable.Range(0, 20)));

        async Task WriteAsync(int version)
        {
            WriteBatch<string> batch = collection.CreateBatch();
            for (int key = 0; key < 20; key++)
                records.Upsert(batch, key, version);
            await collection.WriteAsync(batch);
            await collection.FlushAsync();
            await collection.WaitForRebuildAsync();
        }
    }

    [TestCase(false)]
    [TestCase(true)]
    public async Task Rebuilds_that_fail_do_not_pile_up_sets_of_writes(bool isCancelled)
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with
        {
            Build = new BuildOptions { Threads = 1, MemoryBudget = isCancelled ? null : 1 << 20 },
        };
        var schema = new CollectionSchema { Dimension = 2 };
        await using (VectorCollection<int> collection = await folder.OpenAsync<int>(options, schema: schema))
        {
            for (int key = 0; key < 40; key++)
                await collection.UpsertAsync(key, new float[] { 1, key });
            for (int i = 0; i < 5; i++)
            {
                using var cancellation = new CancellationTokenSource();
                IProgress<BuildProgress>? progress = isCancelled ? new Cancelling(cancellation) : null;
                Assert.That(async () => await collection.CompactAsync(progress, cancellation.Token), Throws.Exception);
            }

            Assert.That(collection.Store.State.View.Sets.Length, Is.EqualTo(2));
            Assert.That(collection.Store.State.View.Newest.Writes, Is.EqualTo(0));
            await collection.UpsertAsync(7, new float[] { 2, 7 });
            await collection.DeleteAsync(8);
        }

        await using VectorCollection<int> again = await folder.OpenAsync<int>(schema: schema);
        using (var cancellation = new CancellationTokenSource())
        {
            Assert.That(
                async () => await again.CompactAsync(new Cancelling(cancellation), cancellation.Token),
                Throws.InstanceOf<OperationCanceledException>());
        }

        // The empty set on top takes these; the rebuild takes in what lies below it, and then it.
        Assert.That(await again.CompactAsync(new Writing(() => again.UpsertAsync(50, new float[] { 1, 50 }).GetAwaiter().GetResult())));
        Assert.That((again.Count, again.Status.GenerationCount, again.Status.Waiting), Is.EqualTo((40, 39, 1)));
        Assert.That(await again.CompactAsync());
        Assert.That((again.Count, again.Status.GenerationCount, again.Status.Waiting), Is.EqualTo((40, 40, 0)));
        Assert.That((await again.GetAsync(7))!.GetVector<float>().ToArray(), Is.EqualTo(new float[] { 2, 7 }));
    }

    [Test]
    [SupportedOSPlatform("linux")]
    [Platform("Linux")]
    public async Task An_opening_that_fails_leaves_no_file_open()
    {
        using var folder = new CollectionDirectory();
        CrashRecords<ulong> records = CheckpointSizes.Vectors.Records;
        await CheckpointSizes.Vectors.RestoreAsync(folder.Path);
        CollectionOptions options = CollectionDirectory.Options with { Tuning = records.Tuning };

        // A generation that no manifest names: the manifest is published anew before it is deleted, after all has been read.
        Directory.CreateDirectory(Path.Combine(folder.Path, "generation-000099"));
        var io = new WatchedStorageIo(static path =>
        {
            if (path.EndsWith(".tmp", StringComparison.Ordinal))
                throw new IOException("No space left on device");
        });
        Assert.That(
            () => VectorCollection<ulong>.OpenAsync(folder.Path, records.OwnSchema, options, io, default),
            Throws.TypeOf<IndexWriteException>().With.Message.Contains("No space left"));
        Assert.That(PipelineHealth.OpenDescriptors(folder.Path), Is.Zero, "as a writer");
        options = options with { ReadOnly = true };
        Assert.That(
            () => VectorCollection<ulong>.OpenAsync(folder.Path, CrashRecords<ulong>.Schema, options, io, default),
            Throws.ArgumentException);
        Assert.That(PipelineHealth.OpenDescriptors(folder.Path), Is.Zero, "as a reader");
        Assert.That(
            () => VectorCollection<ulong>.OpenAsync(folder.Path, records.OwnSchema, options, io, new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(PipelineHealth.OpenDescriptors(folder.Path), Is.Zero, "cancelled");
    }

    [Test]
    public async Task A_logger_that_throws_changes_nothing_about_checkpoints_and_rebuilds()
    {
        using var folder = new CollectionDirectory();
        CrashRecords<ulong> records = CheckpointSizes.Vectors.Records;
        await CheckpointSizes.Vectors.RestoreAsync(folder.Path);
        // Messages of the collection itself.
        using var logger = new ThrowingLogger(static (_, message, _) => message.Id is >= 400 and < 500);
        CollectionOptions options = CollectionDirectory.Options with { Tuning = records.Tuning };
        options = options with { Open = options.Open! with { LoggerFactory = logger } };
        await using VectorCollection<ulong> collection = await VectorCollection<ulong>.OpenAsync(
            folder.Path, records.OwnSchema, options, new UnsyncedStorageIo(refuses: false), default);
        WriteBatch<ulong> batch = collection.CreateBatch();
        for (int key = 0; key < 20; key++)
            records.Upsert(batch, key, 2);
        await collection.WriteAsync(batch);
        await collection.FlushAsync();
        await collection.WaitForRebuildAsync();
        Assert.That((collection.Status.RebuildError, collection.Status.WriteError), Is.EqualTo(((Exception?)null, (Exception?)null)));
        Assert.That(collection.Status.Checkpoints, Is.EqualTo(1));
        Assert.That(await collection.CompactAsync());
        Assert.That(collection.Status.IsReadOnly, Is.False);
        await records.UpsertAsync(collection, 1, 3);
        Assert.That(logger.Thrown, Is.GreaterThanOrEqualTo(2));
    }

    private sealed class Cancelling(CancellationTokenSource cancellation) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value) => cancellation.Cancel();
    }

    private sealed class Writing(Action write) : IProgress<BuildProgress>
    {
        private int _reports;

        public void Report(BuildProgress value)
        {
            if (Interlocked.Increment(ref _reports) == 1)
                write();
        }
    }
}

using NUnit.Framework;
using VectorPipe.Collections.Writing;
using VectorPipe.Tests.Collections.Checkpoints;
using VectorPipe.Tests.Collections.Keys;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Rebuilding;

/// <summary>Beside a rebuild, checkpoints go on: what is written meanwhile is in the pages in force, and then in the new ones.</summary>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public sealed class RebuildBesideWritesTests
{
    private const int Batch = 200;
    private const int Count = 1100;

    /// <summary>Writes on while a rebuild waits.</summary>
    /// <param name="seed">Seed of what is written.</param>
    /// <param name="rounds">Checkpoints: without places that are used again, the file would be one larger than as many generations.</param>
    [TestCase(5, 6)]
    [TestCase(5, 12, Category = "Heavy")]
    [TestCase(6, 12, Category = "Heavy")]
    [TestCase(7, 12, Category = "Heavy")]
    public async Task Writes_do_not_wait_for_its_end_and_few_of_them_wait_in_memory(int seed, int rounds)
    {
        using var stop = new StoppedProgress { Phase = "train" };
        await using ChangingCollection model = await ChangingCollection.BuildAsync(seed, Count);
        await model.ChurnAsync(Batch / 2, 2 * Count);
        uint generation = model.View.Generation!.Number;
        Task<bool> rebuild = model.Collection.CompactAsync(stop);
        try
        {
            await stop.Reached;
            CollectionWriter writer = model.Collection.Store.Writer!;
            for (uint round = 1; round <= rounds; round++)
            {
                await model.ChurnAsync(Batch, 2 * Count);
                AwaitCheckpoints(model, round);
                Assert.That(model.Collection.Status.Waiting, Is.LessThan(2 * Batch), "they are not left to the rebuild");
                Assert.That(writer.IsHeld, Is.False);
            }

            Assert.That(rebuild.IsCompleted, Is.False);
            Assert.That(
                model.Places.Places, Is.LessThan(4 * model.Changes.Pages), "the rebuild has read its content: places are used again");
            Assert.That(model.Collection.Status.MemoryBytes, Is.GreaterThan(model.View.MemoryBytes), "kept for the next generation");
            Assert.That(model.View.Generation!.Number, Is.EqualTo(generation));
            await model.CheckAsync("while the rebuild runs");
        }
        finally
        {
            stop.GoOn();
        }

        Assert.That(await rebuild);
        Assert.That(model.View.Generation!.Number, Is.GreaterThan(generation));
        Assert.That(model.Checkpoint, Is.GreaterThan(0), "the new generation has caught up before it came into force");
        Assert.That(model.View.Writes, Is.LessThan(Batch), "but for a few writes");
        Assert.That(model.Places.Places, Is.EqualTo(model.Changes.Pages), "and has rewritten its pages where they were");
        Assert.That(model.Collection.Status.MemoryBytes, Is.EqualTo(model.View.MemoryBytes), "nothing is kept");
        await model.CheckAsync("after the rebuild");
        await model.OpenAsync();
        await model.CheckAsync("opened again");
        await model.CheckpointAsync(Batch, 2 * Count);
        await model.CheckAsync("after another checkpoint");
        Assert.That(await model.Collection.CompactAsync());
        await model.CheckAsync("after another rebuild");
    }

    [Test]
    public async Task A_rebuild_that_fails_leaves_what_was_written_meanwhile()
    {
        using var stop = new StoppedProgress { Error = new IndexWriteException("given up") };
        await using ChangingCollection model = await ChangingCollection.BuildAsync(8, Count);
        await model.ChurnAsync(Batch / 2, 2 * Count);
        Task<bool> rebuild = model.Collection.CompactAsync(stop);
        try
        {
            await stop.Reached;
            for (uint round = 1; round <= 3; round++)
            {
                await model.ChurnAsync(Batch, 2 * Count);
                AwaitCheckpoints(model, round);
            }
        }
        finally
        {
            stop.GoOn();
        }

        await Assert.ThatAsync(() => rebuild, Throws.TypeOf<IndexWriteException>().With.Message.EqualTo("given up"));
        await model.CheckAsync("after the failure");
        Assert.That(Directory.GetDirectories(model.Directory, "generation-*"), Has.Length.EqualTo(1));
        await model.OpenAsync();
        await model.CheckAsync("opened again");
        Assert.That(await model.Collection.CompactAsync());
        await model.CheckAsync("after another rebuild");
    }

    [Test]
    public async Task A_checkpoint_beside_it_that_fails_leaves_its_writes_to_the_rebuild()
    {
        bool fails = false;
        using var stop = new StoppedProgress();
        var io = new WatchedStorageIo(static _ => { })
        {
            BeforeUpdate = path =>
            {
                if (Volatile.Read(ref fails) && path.Contains("generation-000001", StringComparison.Ordinal))
                    throw new IOException("no more room");
            },
        };
        await using ChangingCollection model = await ChangingCollection.BuildAsync(9, Count, ChangingCollection.Options, io);
        await model.ChurnAsync(Batch / 2, 2 * Count);
        Task<bool> rebuild = model.Collection.CompactAsync(stop);
        try
        {
            await stop.Reached;
            Volatile.Write(ref fails, true);
            await model.ChurnAsync(Batch + 10, 2 * Count);
            Assert.That(SpinWait.SpinUntil(() => model.Collection.Status.RebuildError is not null, HangBound.Patience));
            Assert.That(model.Collection.Status.RebuildError!.Message, Does.Contain("no more room"));
            Assert.That(model.Checkpoint, Is.Zero);
            await model.CheckAsync("after the failure");
        }
        finally
        {
            stop.GoOn();
        }

        Assert.That(await rebuild);
        Assert.That(model.Collection.Status.RebuildError, Is.Null);
        await model.CheckAsync("after the rebuild");
    }

    [Test]
    public async Task What_a_generation_without_room_cannot_take_in_is_rebuilt_at_once()
    {
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var goesOn = new ManualResetEventSlim();
        var io = new WatchedStorageIo(path =>
        {
            if (path.Contains("generation-000002", StringComparison.Ordinal) && !goesOn.IsSet)
            {
                reached.TrySetResult();
                goesOn.Wait();
            }
        });
        await using ChangingCollection model = await ChangingCollection.BuildAsync(11, Count, ChangingCollection.Options, io);
        try
        {
            // So few records are left that the next generation has no room, and so many writes wait that it is built.
            await model.DeleteAsync(Enumerable.Range(0, 700));
            await reached.Task;
            for (uint round = 1; round <= 3; round++)
            {
                await model.UpsertAsync(Enumerable.Range(700, Batch));
                AwaitCheckpoints(model, round);
            }
        }
        finally
        {
            goesOn.Set();
        }

        // One rebuild, and the next, which has begun by then.
        await model.SettleAsync();
        await model.SettleAsync();
        Assert.That(model.View.Generation!.CanChange, Is.False);
        Assert.That(model.View.Generation.Number, Is.EqualTo(3));
        Assert.That(model.View.Writes, Is.Zero);
        await model.CheckAsync("after both rebuilds");
    }

    [TestCase(1, 120)]
    [TestCase(1, 900, Category = "Heavy")]
    public Task Integers(int seed, int batches) => RunModelAsync(key => (ulong)key * 0x9E3779B97F4A7C15, seed, batches);

    [TestCase(2, 900, Category = "Heavy")]
    public Task Strings(int seed, int batches) => RunModelAsync(key => $"key {key}", seed, batches);

    [TestCase(3, 600, Category = "Heavy")]
    public Task Guids_that_collide(int seed, int batches)
    {
        CollidingGuids? keys = null;
        return RunModelAsync(
            key => keys![key], seed, batches, collection => keys = new CollidingGuids(collection.Store.Manifest.HashSeed));
    }

    // Keys, attributes and payloads, too; the rebuild is stopped while batches are written.
    private static async Task RunModelAsync<TKey>(
        Func<int, TKey> keyOf, int seed, int batches, Action<VectorCollection<TKey>>? opened = null)
        where TKey : notnull
    {
        const int Keys = 4000;
        using var folder = new CollectionDirectory();
        using var stop = new StoppedProgress();
        CollectionOptions options = CollectionDirectory.Options with
        {
            Tuning = CollectionDirectory.Options.Tuning with { LeastWithRoom = 1000, LeastWaiting = 100, MostDue = 2 },
        };
        var model = new CollectionModel<TKey>(keyOf, seed) { Tolerance = 3e-3f };
        VectorCollection<TKey> collection = await folder.OpenAsync<TKey>();
        opened?.Invoke(collection);
        try
        {
            for (int i = 0; i < 720; i++)
                await model.WriteBatchAsync(collection, Keys);
            await collection.DisposeAsync();
            collection = await folder.OpenAsync<TKey>(options);
            await collection.CompactAsync();
            Assert.That(collection.Store.State.View.Generation!.CanChange, "a generation with room");
            await model.WriteBatchAsync(collection, Keys);
            Task<bool> rebuild = collection.CompactAsync(stop);
            try
            {
                await stop.Reached;
                for (int i = 0; i < batches; i++)
                    await model.WriteBatchAsync(collection, Keys);
                for (int i = 0; i < 15; i++)
                    await model.CheckSomeAsync(collection, Keys);
            }
            finally
            {
                stop.GoOn();
            }

            Assert.That(await rebuild);
            await model.CheckAllAsync(collection, "after the rebuild");
            await collection.FlushAsync();
            await collection.WaitForRebuildAsync();
            Assert.That(collection.Status.RebuildError, Is.Null);
            await collection.DisposeAsync();
            VerifyReport report = await VectorCollection.VerifyAsync(folder.Path);

            // The segments of this log are shorter than those that a verification expects.
            Assert.That(report.Defects.Where(defect => !defect.Contains("log-", StringComparison.Ordinal)), Is.Empty);
            collection = await folder.OpenAsync<TKey>(options);
            await model.CheckAllAsync(collection, "opened again");
        }
        finally
        {
            await collection.DisposeAsync();
        }
    }

    // Looks now and then: a task that looks all the time takes the processor from the checkpoint that it waits for.
    private static void AwaitCheckpoints(ChangingCollection model, uint checkpoints)
    {
        Assert.That(
            SpinWait.SpinUntil(
                () => model.Checkpoint >= checkpoints || model.Collection.Status.RebuildError is not null, HangBound.Patience),
            "a checkpoint ends");
        Assert.That(model.Collection.Status.RebuildError, Is.Null);
    }
}

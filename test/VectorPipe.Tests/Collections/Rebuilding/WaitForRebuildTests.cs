using NUnit.Framework;
using VectorPipe.Model.Collections;
using VectorPipe.Tests.Collections.Checkpoints;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Rebuilding;

/// <summary>Who waits for maintenance waits for what was due when it asked, although writes keep making more of it due.</summary>
[TestFixture]
[HangSeconds(30)]
public sealed class WaitForRebuildTests
{
    private const int Batch = 200;
    private const int Rounds = 6;

    [TestCase(Batch, 1)]
    [TestCase(Batch - 1, 0)]
    public async Task What_is_due_when_a_collection_is_opened_need_not_wait_for_writes(int writes, int checkpoints)
    {
        CollectionTuning tuning = ChangingCollection.Options.Tuning with { LeastWaiting = long.MaxValue };
        await using ChangingCollection model =
            await ChangingCollection.BuildAsync(61, 1100, ChangingCollection.Options with { Tuning = tuning });
        await model.UpsertAsync(Enumerable.Range(0, writes));
        await model.OpenAsync(ChangingCollection.Options with { Tuning = tuning with { LeastWaiting = Batch } });
        await model.SettleAsync();

        Assert.That(model.Checkpoint, Is.EqualTo(checkpoints));
        await model.CheckAsync("opened");
    }

    [TestCase(1)]
    [TestCase(2, Category = "Heavy")]
    [TestCase(3, Category = "Heavy")]
    public async Task It_ends_while_another_checkpoint_is_due(int seed)
    {
        var random = new Random(seed);
        using var stopped = new SemaphoreSlim(0);
        using var goesOn = new SemaphoreSlim(0);
        bool isWatched = false;
        var io = new WatchedStorageIo(static _ => { })
        {
            BeforeUpdate = path =>
            {
                if (!Volatile.Read(ref isWatched) || !Path.GetFileName(path).StartsWith("nodes", StringComparison.Ordinal))
                    return;
                stopped.Release();
                goesOn.Wait();
            },
        };
        CollectionOptions options = ChangingCollection.Options with
        {
            Tuning = ChangingCollection.Options.Tuning with { LeastWaiting = Batch, MostDue = 8 },
        };
        await using ChangingCollection model = await ChangingCollection.BuildAsync(60 + seed, 1100, options, io);
        VectorCollection<int> collection = model.Collection;
        Assert.That(collection.WaitForRebuildAsync().IsCompleted, "nothing is due");
        Volatile.Write(ref isWatched, true);
        try
        {
            // Each checkpoint stops before it writes; what is written then makes the next one due.
            var asked = new List<(Task Task, int LastRound)>();
            await WriteAsync(Batch);
            for (int round = 1; round <= Rounds; round++)
            {
                await stopped.WaitAsync();
                foreach ((Task task, int last) in asked.Where(ask => ask.LastRound < round))
                    await task;
                Assert.That(asked.Where(ask => ask.LastRound >= round).Select(ask => ask.Task.IsCompleted), Has.All.False);
                bool isDueBefore = random.Next(2) == 0;
                if (!isDueBefore)
                    asked.Add((collection.WaitForRebuildAsync(), round));
                await WriteAsync(Batch);
                if (isDueBefore)
                    asked.Add((collection.WaitForRebuildAsync(), round + 1));
                goesOn.Release();
            }

            Volatile.Write(ref isWatched, false);
            goesOn.Release();
            foreach ((Task task, _) in asked)
                await task;
        }
        finally
        {
            Volatile.Write(ref isWatched, false);
            goesOn.Release(Rounds);
        }

        await model.SettleAsync();
        await model.CheckAsync("after all");

        async Task WriteAsync(int count)
        {
            await model.UpsertAsync(Enumerable.Range(random.Next(800), count));
            await collection.FlushAsync();
        }
    }
}

using NUnit.Framework;
using VectorPipe.Collections.Writing;
using VectorPipe.Tests.Collections.Checkpoints;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Rebuilding;

/// <summary>Writes wait for a checkpoint step by step, as it goes on, and not all at once until it ends.</summary>
public sealed class ThrottledWritesTests
{
    private const int Batch = 200;

    [Test]
    public async Task Writes_come_in_as_far_as_a_checkpoint_has_taken_others_in()
    {
        using var stopped = new SemaphoreSlim(0);
        using var goesOn = new ManualResetEventSlim(true);
        var io = new WatchedStorageIo(static _ => { })
        {
            BeforeUpdate = path =>
            {
                if (!Path.GetFileName(path).StartsWith("nodes", StringComparison.Ordinal))
                    return;
                stopped.Release();
                goesOn.Wait();
            },
        };
        CollectionOptions options = ChangingCollection.Options with
        {
            Tuning = ChangingCollection.Options.Tuning with { LeastWaiting = Batch, MostDue = 8 },
        };
        await using ChangingCollection model = await ChangingCollection.BuildAsync(5, 1100, options, io);
        while (await stopped.WaitAsync(0))
        {
            // Those of before.
        }

        CollectionWriter writer = model.Collection.Store.Writer!;
        goesOn.Reset();
        try
        {
            // Placed, two thirds of the work; no page is written.
            await model.UpsertAsync(Enumerable.Range(0, Batch));
            await stopped.WaitAsync();
            int written = 0;
            while (!await IsHeldAsync(writer))
            {
                await model.UpsertAsync(Enumerable.Range(10 * written % 1000, 10));
                written += 10;
                Assert.That(written, Is.LessThan(8 * Batch), "the last writes wait for the last pages");
            }

            Assert.That(written, Is.GreaterThan(4 * Batch));
            Task waits = model.UpsertAsync(1);
            Assert.That(await IsHeldAsync(writer));
            Assert.That(waits.IsCompleted, Is.False);
            Assert.That(model.Collection.Status.IsThrottled, Is.True);
            goesOn.Set();
            await waits;
        }
        finally
        {
            goesOn.Set();
        }

        await model.SettleAsync();
        Assert.That(await IsHeldAsync(writer), Is.False);
        Assert.That(model.Collection.Status.IsThrottled, Is.False);
        await model.CheckAsync("after all");
    }

    // A step runs when the group before it has been dealt with.
    private static async Task<bool> IsHeldAsync(CollectionWriter writer)
    {
        bool isHeld = false;
        await writer.RunAsync(() => isHeld = writer.IsHeld);
        return isHeld;
    }
}

using NUnit.Framework;
using VectorPipe.Tests.Collections.Checkpoints;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Rebuilding;

/// <summary>While no checkpoint and no rebuild succeeds, what waits in memory is bounded: upserts are refused, nothing else is.</summary>
[TestFixture]
public sealed class FailingMaintenanceTests
{
    // Above the bound before it is noticed: a batch, and the room that a set makes ahead.
    private const int MostWaitingBytes = 1 << 17;
    private const int BytesAhead = 1 << 19;
    private const int Batch = 200;

    private static readonly CollectionOptions _options = ChangingCollection.Options with
    {
        Tuning = ChangingCollection.Options.Tuning with { MostWaitingBytes = MostWaitingBytes },
    };

    [Test]
    public async Task Upserts_are_refused_with_the_error_of_maintenance_once_too_much_waits(
        [Values] bool isCompacted)
    {
        bool fails = true;
        var io = new WatchedStorageIo(path =>
        {
            if (Volatile.Read(ref fails) && path.Contains("generation-", StringComparison.Ordinal))
                throw new IOException("No space left on device");
        });
        await using ChangingCollection model = await ChangingCollection.BuildAsync(71, 1100, _options, io);
        IndexWriteException refusal = await FillAsync(model);
        Assert.That(refusal.Message, Does.Contain("insertions are refused").And.Contains("No space left on device"));

        // Each refusal has maintenance try again, so the status may have the same error of a later try.
        Assert.That(refusal.InnerException!.Message, Is.EqualTo(model.Collection.Status.RebuildError!.Message));
        Assert.That(model.Collection.Status.IsReadOnly, Is.False);

        // Whoever goes on trying gets no further, and what else there is goes on.
        for (int i = 0; i < 3; i++)
        {
            Assert.That(() => model.Collection.UpsertAsync(1, model.Next()), Throws.TypeOf<IndexWriteException>());
            await model.Collection.WaitForRebuildAsync();
        }

        // A deletion has maintenance try again, too: it must have failed before the next try can succeed.
        await model.DeleteAsync(3, 5, 8);
        await model.Collection.WaitForRebuildAsync();
        Assert.That(model.Collection.Status.WaitingBytes, Is.LessThan((2 * MostWaitingBytes) + BytesAhead));
        await model.CheckAsync("while insertions are refused");

        Volatile.Write(ref fails, false);
        if (isCompacted)
        {
            Assert.That(await model.Collection.CompactAsync());
        }
        else
        {
            // An insertion that is refused has maintenance try again.
            Assert.That(() => model.Collection.UpsertAsync(1, model.Next()), Throws.TypeOf<IndexWriteException>());
            await model.SettleAsync();
        }

        Assert.That(model.Collection.Status.RebuildError, Is.Null);
        await model.UpsertAsync(1, 3, 5);
        await model.CheckAsync("when maintenance has succeeded");
    }

    [Test]
    public async Task A_collection_that_cannot_be_built_refuses_upserts_too()
    {
        CollectionOptions options = CollectionDirectory.Options with
        {
            Build = new BuildOptions { Threads = 1, MemoryBudget = 1 << 20 },
            Tuning = _options.Tuning,
        };
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(options, schema: ChangingCollection.Schema);
        int written = 0;
        try
        {
            for (; written < 100_000; written += Batch)
            {
                WriteBatch<int> batch = collection.CreateBatch();
                for (int key = written; key < written + Batch; key++)
                    batch.Upsert(key, new byte[ChangingCollection.Dimension]);
                await collection.WriteAsync(batch);
                await collection.FlushAsync();
                await collection.WaitForRebuildAsync();
            }

            Assert.Fail("nothing was refused");
        }
        catch (IndexWriteException e)
        {
            Assert.That(e.Message, Does.Contain("insertions are refused"));
        }

        Assert.That(collection.Count, Is.EqualTo(written));
        Assert.That(await collection.DeleteAsync(0));
    }

    // Writes until an insertion is refused.
    private static async Task<IndexWriteException> FillAsync(ChangingCollection model)
    {
        for (int i = 0; i < 100; i++)
        {
            Dictionary<int, byte[]> before = new(model.Records);
            try
            {
                await model.UpsertAsync(Enumerable.Range(i * Batch, Batch));
                await model.Collection.FlushAsync();
                await model.Collection.WaitForRebuildAsync();
            }
            catch (IndexWriteException e)
            {
                model.Records.Clear();
                foreach ((int key, byte[] vector) in before)
                    model.Records.Add(key, vector);
                Assert.That(model.Collection.Status.WaitingBytes, Is.GreaterThanOrEqualTo(2 * MostWaitingBytes));
                return e;
            }
        }

        throw new AssertionException("nothing was refused");
    }
}

using NUnit.Framework;
using VectorPipe.Model.Collections;
using VectorPipe.Tests.Collections.Keys;

namespace VectorPipe.Tests.Collections.Rebuilding;

/// <summary>Writes that checkpoints take into the pages of a generation, beside a dictionary.</summary>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public class CheckpointModelTests
{
    private const int Keys = 4000;

    [TestCase(1)]
    public Task Integers(int seed) => RunAsync(key => (ulong)key * 0x9E3779B97F4A7C15, seed);

    [TestCase(2)]
    public Task Strings(int seed) => RunAsync(key => $"key {key}", seed);

    [TestCase(3)]
    public Task Guids_that_collide(int seed)
    {
        CollidingGuids? keys = null;
        return RunAsync(key => keys![key], seed, collection => keys = new CollidingGuids(collection.Store.Manifest.HashSeed));
    }

    private static async Task RunAsync<TKey>(Func<int, TKey> keyOf, int seed, Action<VectorCollection<TKey>>? opened = null)
        where TKey : notnull
    {
        using var folder = new CollectionDirectory();
        CollectionTuning tuning = CollectionDirectory.Options.Tuning;
        CollectionOptions options = CollectionDirectory.Options with
        {
            Tuning = tuning with { LeastWithRoom = 1000, LeastWaiting = 100, MostDue = 2, MostChanged = double.PositiveInfinity },
        };
        var model = new CollectionModel<TKey>(keyOf, seed) { Tolerance = 3e-3f };
        VectorCollection<TKey> collection = await folder.OpenAsync<TKey>();
        opened?.Invoke(collection);
        try
        {
            for (int i = 0; i < 1200; i++)
                await model.WriteBatchAsync(collection, Keys);
            await collection.DisposeAsync();
            collection = await folder.OpenAsync<TKey>(options);
            await collection.CompactAsync();
            long generation = collection.Status.Generation;
            for (int step = 0; step < 4; step++)
            {
                for (int i = 0; i < 45; i++)
                    await model.WriteBatchAsync(collection, Keys);
                await collection.FlushAsync();
                await collection.WaitForRebuildAsync();
                Assert.That(collection.Status.RebuildError, Is.Null);
                Assert.That(collection.Status.Generation, Is.EqualTo(generation), "no rebuild");
                for (int i = 0; i < 15; i++)
                    await model.CheckSomeAsync(collection, Keys);
                if (step % 2 == 0)
                    continue;
                await collection.DisposeAsync();
                VerifyReport report = await VectorCollection.VerifyAsync(folder.Path);

                // The segments of this log are shorter than those that a verification expects.
                Assert.That(report.Defects.Where(defect => !defect.Contains("log-", StringComparison.Ordinal)), Is.Empty);
                collection = await folder.OpenAsync<TKey>(options);
                await model.CheckAllAsync(collection, $"step {step}, opened again");
            }

            await collection.CompactAsync();
            Assert.That(collection.Status.Generation, Is.GreaterThan(generation));
            await model.CheckAllAsync(collection, "after a rebuild");
        }
        finally
        {
            await collection.DisposeAsync();
        }
    }
}

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

    // After 720 batches there are some more records than the fewest that are calibrated, which checkpoints need.
    [TestCase(1, 1200, 4, Category = "Heavy")]
    public Task Integers(int seed, int batches, int steps) => RunAsync(key => (ulong)key * 0x9E3779B97F4A7C15, seed, batches, steps);

    [TestCase(2, 1200, 4, Category = "Heavy")]
    public Task Strings(int seed, int batches, int steps) => RunAsync(key => $"key {key}", seed, batches, steps);

    [TestCase(3, 720, 2)]
    [TestCase(3, 1200, 4, Category = "Heavy")]
    public Task Guids_that_collide(int seed, int batches, int steps)
    {
        CollidingGuids? keys = null;
        return RunAsync(
            key => keys![key], seed, batches, steps, collection => keys = new CollidingGuids(collection.Store.Manifest.HashSeed));
    }

    private static async Task RunAsync<TKey>(
        Func<int, TKey> keyOf, int seed, int batches, int steps, Action<VectorCollection<TKey>>? opened = null)
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
            for (int i = 0; i < batches; i++)
                await model.WriteBatchAsync(collection, Keys);
            await collection.DisposeAsync();
            collection = await folder.OpenAsync<TKey>(options);
            await collection.CompactAsync();
            long generation = collection.Status.Generation;
            for (int step = 0; step < steps; step++)
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

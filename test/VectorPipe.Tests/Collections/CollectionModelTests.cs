using NUnit.Framework;
using VectorPipe.Tests.Collections.Keys;

namespace VectorPipe.Tests.Collections;

/// <summary>Random writes, look-ups, searches, rebuilds and openings of a collection, beside a dictionary.</summary>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public class CollectionModelTests
{
    [TestCase(1, 130)]
    [TestCase(1, 300, Category = "Heavy")]
    [TestCase(2, 300, Category = "Heavy")]
    [TestCase(3, 300, Category = "Heavy")]
    public Task Integers(int seed, int steps) => RunAsync(key => (ulong)key * 0x9E3779B97F4A7C15, seed, steps);

    [TestCase(4, 100)]
    [TestCase(4, 200, Category = "Heavy")]
    public Task Negative_integers(int seed, int steps) => RunAsync(key => (long)key - 20, seed, steps);

    [TestCase(5, 130)]
    [TestCase(5, 300, Category = "Heavy")]
    public Task Strings(int seed, int steps) => RunAsync(key => $"key {key}", seed, steps);

    [TestCase(6, 100)]
    [TestCase(6, 200, Category = "Heavy")]
    public Task Guids(int seed, int steps) => RunAsync(key => new Guid(key, 1, 2, [3, 4, 5, 6, 7, 8, 9, 10]), seed, steps);

    [TestCase(8, 130)]
    [TestCase(8, 300, Category = "Heavy")]
    [TestCase(9, 300, Category = "Heavy")]
    public Task Guids_that_collide(int seed, int steps)
    {
        CollidingGuids? keys = null;
        return RunAsync(
            key => keys![key], seed, steps, collection => keys = new CollidingGuids(collection.Store.Manifest.HashSeed));
    }

    [TestCase(7)]
    [Category("Heavy")]
    public Task Integers_for_long(int seed) => RunAsync(key => (ulong)key, seed, steps: 20_000);

    private static async Task RunAsync<TKey>(
        Func<int, TKey> keyOf, int seed, int steps, Action<VectorCollection<TKey>>? opened = null)
        where TKey : notnull
    {
        using var folder = new CollectionDirectory();
        var model = new CollectionModel<TKey>(keyOf, seed);
        var random = new Random(seed);
        const int Keys = 50;
        VectorCollection<TKey> collection = await folder.OpenAsync<TKey>();
        opened?.Invoke(collection);
        try
        {
            for (int step = 0; step < steps; step++)
            {
                switch (random.Next(100))
                {
                    case < 45:
                        await model.UpsertAsync(collection, Keys);
                        break;
                    case < 65:
                        await model.DeleteAsync(collection, Keys);
                        break;
                    case < 75:
                        await model.WriteBatchAsync(collection, Keys);
                        break;
                    case < 95:
                        await model.CheckSomeAsync(collection, Keys);
                        break;
                    case < 97:
                        await collection.CompactAsync();
                        await model.CheckAllAsync(collection, $"step {step}, after a rebuild");
                        break;
                    default:
                        await collection.DisposeAsync();
                        collection = await folder.OpenAsync<TKey>();
                        await model.CheckAllAsync(collection, $"step {step}, opened again");
                        break;
                }
            }
        }
        finally
        {
            await collection.DisposeAsync();
        }
    }
}

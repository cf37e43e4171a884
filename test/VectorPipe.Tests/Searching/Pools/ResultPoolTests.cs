using NUnit.Framework;
using VectorPipe.Searching.Pools;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Searching.Pools;

/// <summary>Compares the best k with a sorted list of all, for any k.</summary>
public sealed class ResultPoolTests
{
    [Test]
    [Spread]
    public void The_best_are_kept_in_order([Values(1, 10, 256, 257, 1000)] int k, [Values(5, 300, 5000)] int vectors)
    {
        Random random = RandomizedTest.Start();
        var pool = new ResultPool();
        for (int use = 0; use < 3; use++)
        {
            pool.Reset(k, withIds: true);
            var all = new List<(float Distance, ulong Key)>();
            for (int i = 0; i < vectors; i++)
            {
                // Few distances, so that many are equal.
                (float distance, ulong key) = (random.Next(200), (ulong)random.NextInt64());
                all.Add((distance, key));
                if (distance <= pool.Threshold)
                    pool.Insert(distance, key, (uint)key);
                Assert.That(pool.Count, Is.EqualTo(Math.Min(k, i + 1)), $"after {i + 1} vectors");
                if (random.Next(100) == 0)
                    AssertBest(pool, all, k);
            }

            AssertBest(pool, all, k);
        }
    }

    [Test]
    public void A_pool_of_many_results_moves_each_a_few_times()
    {
        // One at a time each vector would move half of the pool, ten billion entries in all.
        const int k = 200_000;
        var pool = new ResultPool();
        pool.Reset(k);
        for (int i = 2 * k; i > 0; i--)
            pool.Insert(i, (ulong)i);
        pool.Sort();
        Assert.That((pool.Count, pool.Distance(0), pool.Distance(k - 1), pool.Threshold), Is.EqualTo((k, 1f, (float)k, (float)k)));
    }

    [Test]
    public void A_distance_that_is_not_a_number_comes_last([Values(3, 300)] int k)
    {
        var pool = new ResultPool();
        pool.Reset(k);
        pool.Insert(float.NaN, 1);
        pool.Insert(5, 2);
        pool.Sort();
        Assert.That((pool.Key(0), pool.Key(1), pool.Distance(1)), Is.EqualTo((2ul, 1ul, float.PositiveInfinity)));
    }

    private static void AssertBest(ResultPool pool, List<(float Distance, ulong Key)> all, int k)
    {
        pool.Sort();
        (float, ulong)[] expected = [.. all.Order().Take(k)];
        (float, ulong)[] found = [.. Enumerable.Range(0, pool.Count).Select(rank => (pool.Distance(rank), pool.Key(rank)))];
        Assert.That(found.AsSpan().SequenceEqual(expected), Is.True, $"the best {k} of {all.Count}");
        bool areIdsKept = Enumerable.Range(0, pool.Count).All(rank => pool.Id(rank) == (uint)pool.Key(rank));
        Assert.That(areIdsKept, Is.True, "ids stay with their keys");
        Assert.That(pool.Threshold, Is.EqualTo(all.Count < k ? float.PositiveInfinity : expected[^1].Item1));
    }
}

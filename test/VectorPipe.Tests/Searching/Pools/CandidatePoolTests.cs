using NUnit.Framework;
using VectorPipe.Searching.Pools;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Searching.Pools;

/// <summary>Compares the candidate pool with a sorted list.</summary>
public sealed class CandidatePoolTests
{
    private static readonly CandidateState[] _open = [CandidateState.Unvisited, CandidateState.Submitted, CandidateState.Loaded];

    [Test]
    public void The_best_are_kept_in_order_with_exact_counts([Values(1, 2, 10, 128)] int listSize)
    {
        Random random = RandomizedTest.Start();
        var pool = new CandidatePool();
        for (int round = 0; round < 10; round++)
        {
            pool.Reset(listSize);
            var oracle = new List<(ulong Key, CandidateState State)>();
            var used = new HashSet<uint>();
            for (int step = 0; step < 40; step++)
            {
                Do(random, pool, oracle, used, listSize);
                AssertSame(pool, oracle, listSize, $"round {round}, step {step}");
            }
        }
    }

    [Test]
    public void A_pool_that_grows_keeps_what_it_has_and_takes_more()
    {
        Random random = RandomizedTest.Start();
        var pool = new CandidatePool();
        pool.Reset(4);
        var oracle = new List<(ulong Key, CandidateState State)>();
        var used = new HashSet<uint>();
        for (int listSize = 4; listSize <= 256; listSize *= 2)
        {
            for (int step = 0; step < 40; step++)
            {
                Do(random, pool, oracle, used, listSize);
                AssertSame(pool, oracle, listSize, $"of {listSize}, step {step}");
            }

            pool.Grow(2 * listSize);
            AssertSame(pool, oracle, 2 * listSize, $"grown from {listSize}");
        }

        pool.Reset(3);
        Assert.That((pool.ListSize, pool.Count), Is.EqualTo((3, 0)), "the next query begins small");
    }

    [Test]
    public void Equal_distances_are_ordered_by_id()
    {
        var pool = new CandidatePool();
        pool.Reset(4);
        foreach (uint id in new uint[] { 7, 3, 9, 1, 5, 2 })
            pool.Insert(1f, id, CandidateState.Unvisited);
        Assert.That(Enumerable.Range(0, 4).Select(pool.Id), Is.EqualTo(new uint[] { 1, 2, 3, 5 }));
    }

    [Test]
    public void Keys_are_ordered_as_distances()
    {
        float[] ascending = [float.NegativeInfinity, -1e30f, -2, -1e-40f, 0f, 1e-40f, 3, 1e30f, float.PositiveInfinity];
        for (int i = 0; i < ascending.Length; i++)
        {
            ulong key = CandidateKey.Of(ascending[i], 17);
            Assert.That((CandidateKey.Distance(key), (uint)key), Is.EqualTo((ascending[i], 17u)));
            if (i > 0)
                Assert.That(
                    key, Is.GreaterThan(CandidateKey.Of(ascending[i - 1], uint.MaxValue)),
                    $"{ascending[i - 1]} comes before {ascending[i]}");
        }

        Assert.That(CandidateKey.Of(float.NaN, 1), Is.EqualTo(CandidateKey.Of(float.PositiveInfinity, 1)), "a NaN is infinitely far");
        Assert.That(CandidateKey.Of(-0f, 1), Is.EqualTo(CandidateKey.Of(0f, 1)), "the zeros are one distance");
    }

    private static void Do(
        Random random, CandidatePool pool, List<(ulong Key, CandidateState State)> oracle, HashSet<uint> used, int listSize)
    {
        switch (random.Next(5))
        {
            case 0 when pool.Count > 0:
                int rank = random.Next(pool.Count);
                if (oracle[rank].State == CandidateState.Visited)
                    return;
                CandidateState state = (CandidateState)random.Next(4);
                pool.SetState(rank, state);
                oracle[rank] = (oracle[rank].Key, state);
                return;
            case 1:
                uint firstId = (uint)random.Next(500);
                CandidateState ofPage = (CandidateState)random.Next(4);
                pool.SetPageState(firstId, 12, ofPage);
                for (int i = 0; i < oracle.Count; i++)
                {
                    if ((uint)oracle[i].Key - firstId < 12 && oracle[i].State != CandidateState.Visited)
                        oracle[i] = (oracle[i].Key, ofPage);
                }

                return;
            default:
                Merge(random, pool, oracle, used, listSize);
                return;
        }
    }

    private static void Merge(
        Random random, CandidatePool pool, List<(ulong Key, CandidateState State)> oracle, HashSet<uint> used, int listSize)
    {
        var batch = new List<(ulong Key, CandidateState State)>();
        for (int i = random.Next(0, random.Next(2) == 0 ? 3 : 3 * listSize); i > 0; i--)
        {
            // Few distances: many are equal.
            uint id = (uint)random.Next(20_000);
            if (used.Add(id))
                batch.Add((CandidateKey.Of(random.Next(-20, 20), id), (CandidateState)random.Next(4)));
        }

        batch.Sort();
        int rank = pool.Merge([.. batch.Select(entry => entry.Key)], [.. batch.Select(entry => entry.State)]);
        oracle.AddRange(batch);
        oracle.Sort();
        oracle.RemoveRange(Math.Min(listSize, oracle.Count), Math.Max(0, oracle.Count - listSize));
        int best = oracle.FindIndex(entry => batch.Exists(added => added.Key == entry.Key));
        Assert.That(rank, Is.EqualTo(best < 0 ? oracle.Count : best), "the best rank in the batch");
    }

    private static void AssertSame(CandidatePool pool, List<(ulong Key, CandidateState State)> oracle, int listSize, string what)
    {
        Assert.That(
            Enumerable.Range(0, pool.Count).Select(rank => (CandidateKey.Of(pool.Distance(rank), pool.Id(rank)), pool.State(rank))),
            Is.EqualTo(oracle), what);
        Assert.That(
            (pool.Unvisited, pool.Submitted, pool.Loaded),
            Is.EqualTo(
                (
                    oracle.Count(e => e.State == CandidateState.Unvisited), oracle.Count(e => e.State == CandidateState.Submitted),
                    oracle.Count(e => e.State == CandidateState.Loaded))),
            $"{what}: counts of states");
        foreach (CandidateState state in _open)
            Assert.That(pool.First(state), Is.EqualTo(oracle.FindIndex(entry => entry.State == state)), $"{what}: first {state}");
        Assert.That(
            pool.Threshold, Is.EqualTo(oracle.Count < listSize ? float.PositiveInfinity : CandidateKey.Distance(oracle[^1].Key)), what);
    }
}

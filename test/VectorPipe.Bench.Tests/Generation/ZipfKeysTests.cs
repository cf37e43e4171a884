using NUnit.Framework;
using VectorPipe.Bench.Generation;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Tests.Generation;

public sealed class ZipfKeysTests
{
    private const int Samples = 200_000;

    [TestCase(0.5)]
    [TestCase(0.99)]
    [TestCase(1.0)]
    [TestCase(2.0)]
    public void Ranks_come_in_proportion_to_their_power(double theta)
    {
        const int Count = 1000;
        var keys = new ZipfKeys(Count, theta);
        var random = new SplitMix64(17);
        int[] seen = new int[Count + 1];
        for (int i = 0; i < Samples; i++)
            seen[keys.NextRank(ref random)]++;

        double norm = Enumerable.Range(1, Count).Sum(rank => Math.Pow(rank, -theta));
        foreach (int rank in new[] { 1, 2, 3, 10, 100 })
        {
            double expected = Samples * Math.Pow(rank, -theta) / norm;
            Assert.That(seen[rank], Is.EqualTo(expected).Within((6 * Math.Sqrt(expected)) + 3), $"theta {theta}, rank {rank}, seed 17");
        }
    }

    [Test]
    public void The_same_seed_gives_the_same_keys()
    {
        var keys = new ZipfKeys(100_000, 0.99);
        Assert.That(Draw(keys, 3), Is.EqualTo(Draw(new ZipfKeys(100_000, 0.99), 3)).And.Not.EqualTo(Draw(keys, 4)));
    }

    [TestCase(1)]
    [TestCase(2)]
    [TestCase(1000)]
    [TestCase(4096)]
    public void Every_rank_has_a_key_of_its_own(int count)
    {
        var keys = new ZipfKeys(count, 0.99);
        ulong[] all = [.. Enumerable.Range(1, count).Select(rank => keys.KeyOf(rank)).Order()];
        Assert.That(all, Is.EqualTo(Enumerable.Range(0, count).Select(key => (ulong)key)));
    }

    [Test]
    public void One_key_is_always_the_same() => Assert.That(Draw(new ZipfKeys(1, 0.99), 1), Has.All.Zero);

    [Test]
    public void Uniform_keys_come_equally_often()
    {
        var keys = new UniformKeys(10);
        var random = new SplitMix64(23);
        int[] seen = new int[10];
        for (int i = 0; i < Samples; i++)
            seen[keys.Next(ref random)]++;
        Assert.That(seen, Has.All.EqualTo(Samples / 10).Within(900), "seed 23");
    }

    private static ulong[] Draw(ZipfKeys keys, ulong seed)
    {
        var random = new SplitMix64(seed);
        ulong[] drawn = new ulong[200];
        foreach (ref ulong key in drawn.AsSpan())
            key = keys.Next(ref random);
        return drawn;
    }
}

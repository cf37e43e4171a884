using NUnit.Framework;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Tests.Numerics;

public sealed class RankSortTests
{
    [Test]
    public void Sorts_as_the_framework_does([Values(1, 2, 3)] int seed)
    {
        var random = new Random(seed);
        for (int count = 0; count <= 1100; count += count < 300 ? 1 : 37)
        {
            // High parts repeat, as equal distances do: the low parts decide, and some are equal, too.
            ulong[] keys =
                [.. Enumerable.Range(0, count).Select(_ => ((ulong)random.Next(1 + count / 3) << 40) | (uint)random.Next(count))];
            random.Shuffle(keys);
            ulong[] sorted = [.. keys.Order()];

            RankSort.Sort(keys);

            Assert.That(keys, Is.EqualTo(sorted), $"{count} keys");
        }
    }

    [Test]
    public void Sorts_the_highest_key_and_sorted_keys()
    {
        foreach (int count in new[] { 1, 7, 8, 9, 255, 256, 257, 511, 513, 1024, 1025 })
        {
            ulong[] keys = [.. Enumerable.Range(0, count).Select(i => ulong.MaxValue - (ulong)i)];
            ulong[] sorted = [.. keys.Order()];

            RankSort.Sort(keys);
            Assert.That(keys, Is.EqualTo(sorted), $"{count} keys, descending");
            RankSort.Sort(keys);
            Assert.That(keys, Is.EqualTo(sorted), $"{count} keys, ascending");

            keys.AsSpan().Fill(ulong.MaxValue);
            RankSort.Sort(keys);
            Assert.That(keys, Is.All.EqualTo(ulong.MaxValue), $"{count} keys, equal");
        }
    }
}

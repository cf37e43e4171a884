using NUnit.Framework;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Tests.Numerics;

internal sealed unsafe class SelectionTests
{
    private const int Seed = 41;

    [Test]
    public void A_bound_keeps_a_number_between_the_limits(
        [Values(20, 100, 333)] int count, [Values(1, 7, 12)] int least, [Values(0, 3)] int slack)
    {
        var random = new Random(Seed);
        for (int round = 0; round < 50; round++)
        {
            float[] distances = [.. Enumerable.Range(0, count).Select(_ => MathF.Pow(10, random.Next(-3, 6)) * random.NextSingle())];
            fixed (float* first = distances)
            {
                float bound = ThresholdSelection.Bound(first, count, least, least + slack);
                int within = distances.Count(distance => distance <= bound);
                int ties = distances.Count(distance => distance == bound);
                Assert.That(within, Is.InRange(least, least + slack + Math.Max(0, ties - 1)), $"seed {Seed}, round {round}");
            }
        }
    }

    [Test]
    public void A_bound_among_equal_distances_is_the_distance([Values(0f, 3f)] float distance)
    {
        float[] distances = [.. Enumerable.Repeat(distance, 90)];

        fixed (float* first = distances)
            Assert.That(ThresholdSelection.Bound(first, 90, 10, 12), Is.EqualTo(distance));
    }

    [Test]
    public void A_bound_leaves_out_infinite_distances_if_possible()
    {
        float[] distances = [.. Enumerable.Range(1, 20).Select(i => (float)i), .. Enumerable.Repeat(float.PositiveInfinity, 20)];

        fixed (float* first = distances)
            Assert.That(ThresholdSelection.Bound(first, 40, 5, 5), Is.InRange(5f, 6f));
    }

    [Test]
    public void The_minimum_is_the_first_of_equals([Values(1, 3, 8, 16, 45)] int count)
    {
        var random = new Random(Seed);
        for (int round = 0; round < 30; round++)
        {
            float[] distances = [.. Enumerable.Range(0, count).Select(_ => (float)random.Next(1 + count / 3))];
            fixed (float* first = distances)
                Assert.That(
                    Minimum.IndexOf(first, count), Is.EqualTo(Array.IndexOf(distances, distances.Min())), $"seed {Seed}, round {round}");
        }
    }

    [Test]
    public void A_counting_sort_is_stable_and_leaves_out_negative_keys()
    {
        var random = new Random(Seed);
        int[] keys = [.. Enumerable.Range(0, 1000).Select(_ => random.Next(-1, 17))];

        int[] items = CountingSort.Group(keys, 20, out int[] offsets);

        for (int key = 0; key < 20; key++)
            Assert.That(
                items[offsets[key]..offsets[key + 1]], Is.EqualTo(Enumerable.Range(0, 1000).Where(item => keys[item] == key)),
                $"key {key}, seed {Seed}");
    }

    [Test]
    public void A_counting_sort_of_no_keys_has_empty_groups()
    {
        Assert.That(CountingSort.Group([], 3, out int[] offsets), Is.Empty);
        Assert.That(offsets, Is.EqualTo(new int[4]));
    }
}

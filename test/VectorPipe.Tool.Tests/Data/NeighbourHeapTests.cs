using NUnit.Framework;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Tool.Tests.Data;

public sealed class NeighbourHeapTests
{
    [Test]
    public void The_heap_keeps_the_nearest_and_the_first_of_equals()
    {
        int seed = Environment.TickCount;
        TestContext.Out.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int round = 0; round < 200; round++)
        {
            // Few different values: many ties.
            float[] offered = [.. Enumerable.Range(0, random.Next(20, 200)).Select(_ => (float)random.Next(12))];
            int k = random.Next(1, 20);
            var distances = new float[k];
            var ids = new uint[k];
            int count = 0;
            var heap = new NeighbourHeap(distances, ids, ref count);
            int half = offered.Length / 2;
            heap.Offer(offered.AsSpan(0, half), 0);
            heap.Offer(offered.AsSpan(half), (uint)half);
            heap.Sort();

            uint[] expected = [.. Enumerable.Range(0, offered.Length).OrderBy(i => offered[i]).ThenBy(i => i).Take(k).Select(i => (uint)i)];
            Assert.That(ids, Is.EqualTo(expected), $"seed {seed}, round {round}");
            Assert.That(distances, Is.EqualTo(expected.Select(i => offered[i])), $"seed {seed}, round {round}");
        }
    }

    [Test]
    public void The_heap_never_takes_a_distance_that_is_not_a_number()
    {
        var distances = new float[2];
        var ids = new uint[2];
        int count = 0;
        var heap = new NeighbourHeap(distances, ids, ref count);
        heap.Offer([float.NaN, 3, float.NaN], 0);
        Assert.That(count, Is.EqualTo(1));
        Assert.That(ids[0], Is.EqualTo(1u));
    }
}

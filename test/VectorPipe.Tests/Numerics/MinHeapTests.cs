using NUnit.Framework;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Tests.Numerics;

public sealed class MinHeapTests
{
    [Test]
    public void Keys_come_in_order([Values(0, 1, 2, 3, 100, 1000)] int count, [Values(5, 1_000_000)] int below)
    {
        var random = new Random(count);
        ulong[] keys = [.. Enumerable.Range(0, count).Select(_ => (ulong)random.Next(below))];
        ulong[] expected = [.. keys.Order()];
        Span<ulong> heap = keys;
        MinHeap.Make(heap);
        var found = new List<ulong>();
        while (!heap.IsEmpty)
        {
            found.Add(MinHeap.Top(heap));
            heap = MinHeap.Pop(heap);
        }

        Assert.That(found, Is.EqualTo(expected));
    }
}

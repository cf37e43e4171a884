namespace VectorPipe.Numerics.Sorting;

/// <summary>A binary heap of keys in a span, the least on top: for whoever wants the first few of many in order.</summary>
internal static class MinHeap
{
    /// <summary>Makes a heap of keys in any order.</summary>
    public static void Make(Span<ulong> keys)
    {
        for (int i = (keys.Length / 2) - 1; i >= 0; i--)
            Sink(keys, i);
    }

    /// <summary>The least key of a heap that is not empty.</summary>
    public static ulong Top(ReadOnlySpan<ulong> heap) => heap[0];

    /// <summary>Removes the least key; returns the heap of the others.</summary>
    public static Span<ulong> Pop(Span<ulong> heap)
    {
        heap[0] = heap[^1];
        heap = heap[..^1];
        if (!heap.IsEmpty)
            Sink(heap, 0);
        return heap;
    }

    private static void Sink(Span<ulong> heap, int at)
    {
        ulong key = heap[at];
        while ((2 * at) + 1 is var child && child < heap.Length)
        {
            if (child + 1 < heap.Length && heap[child + 1] < heap[child])
                child++;
            if (heap[child] >= key)
                break;
            heap[at] = heap[child];
            at = child;
        }

        heap[at] = key;
    }
}

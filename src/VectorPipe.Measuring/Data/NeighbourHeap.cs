using System.Diagnostics;

namespace VectorPipe.Measuring.Data;

/// <summary>The k nearest vectors of one query so far: a heap with the farthest at its root.</summary>
/// <remarks>Offer ids in ascending order: of equally near vectors the heap then keeps those with the lowest ids.</remarks>
internal readonly ref struct NeighbourHeap
{
    private readonly Span<float> _distances;
    private readonly Span<uint> _ids;
    private readonly ref int _count;

    /// <summary>A view of a heap whose memory, k distances and k ids, belongs to the caller.</summary>
    public NeighbourHeap(Span<float> distances, Span<uint> ids, ref int count)
    {
        Debug.Assert(distances.Length == ids.Length, "one id for each distance");
        _distances = distances;
        _ids = ids;
        _count = ref count;
    }

    /// <summary>Offers vectors with consecutive ids. NaN is ignored.</summary>
    public void Offer(ReadOnlySpan<float> distances, uint firstId)
    {
        for (int i = 0; i < distances.Length; i++)
        {
            float distance = distances[i];
            if (_count < _distances.Length)
            {
                if (!float.IsNaN(distance))
                    Add(distance, firstId + (uint)i);
            }
            else if (distance < _distances[0])
            {
                Place(0, _count, distance, firstId + (uint)i);
            }
        }
    }

    /// <summary>Sorts the vectors, nearest first. They are no heap afterwards.</summary>
    public void Sort()
    {
        for (int last = _count - 1; last > 0; last--)
        {
            (float distance, uint id) = (_distances[last], _ids[last]);
            (_distances[last], _ids[last]) = (_distances[0], _ids[0]);
            Place(0, last, distance, id);
        }
    }

    private void Add(float distance, uint id)
    {
        int at = _count++;
        while (at > 0)
        {
            int parent = (at - 1) / 2;
            if (!IsFarther(distance, id, _distances[parent], _ids[parent]))
                break;
            (_distances[at], _ids[at]) = (_distances[parent], _ids[parent]);
            at = parent;
        }

        (_distances[at], _ids[at]) = (distance, id);
    }

    // Sifts an entry down from the hole at an index.
    private void Place(int at, int count, float distance, uint id)
    {
        while ((2 * at) + 1 < count)
        {
            int child = (2 * at) + 1;
            if (child + 1 < count && IsFarther(_distances[child + 1], _ids[child + 1], _distances[child], _ids[child]))
                child++;
            if (!IsFarther(_distances[child], _ids[child], distance, id))
                break;
            (_distances[at], _ids[at]) = (_distances[child], _ids[child]);
            at = child;
        }

        (_distances[at], _ids[at]) = (distance, id);
    }

    private static bool IsFarther(float distance, uint id, float otherDistance, uint otherId) =>
        distance > otherDistance || (distance == otherDistance && id > otherId);
}

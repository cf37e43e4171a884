using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Partitioned;

/// <summary>Candidates for the links of a position, sorted by distance, then by how far they follow the position in leaf order.</summary>
/// <remarks>
/// Positions count from the one whose links are sought, and wrap around. So each copy of a vector prefers the next copy, and copies form a
/// ring instead of all linking to one; ties at other distances favour other candidates for other positions. Not thread-safe.
/// </remarks>
internal sealed class CandidateKeys(int count)
{
    private readonly List<ulong> _keys = [];
    private int _position;

    public int Count => _keys.Count;

    /// <summary>Begins with a position.</summary>
    public void Start(int position)
    {
        _keys.Clear();
        _position = position;
    }

    /// <summary>Adds a candidate other than the position itself.</summary>
    public void Add(float distance, int candidate)
    {
        int behind = candidate - _position;
        _keys.Add(PointKey.Pack(distance, behind < 0 ? behind + count : behind));
    }

    /// <summary>Sorts the candidates and drops duplicates, which must have equal distances.</summary>
    public void SortDistinct()
    {
        Span<ulong> keys = CollectionsMarshal.AsSpan(_keys);
        RankSort.Sort(keys);
        int size = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            if (i == 0 || keys[i] != keys[i - 1])
                keys[size++] = keys[i];
        }

        _keys.RemoveRange(size, _keys.Count - size);
    }

    public int Position(int index)
    {
        int position = PointKey.Point(_keys[index]) + _position;
        return position >= count || position < 0 ? position - count : position;
    }

    /// <summary>Writes positions and distances; both spans have room for <see cref="Count"/>.</summary>
    public void Unpack(Span<int> positions, Span<float> distances)
    {
        for (int i = 0; i < _keys.Count; i++)
        {
            positions[i] = Position(i);
            distances[i] = PointKey.Distance(_keys[i]);
        }
    }
}

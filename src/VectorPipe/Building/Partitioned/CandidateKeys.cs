using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Candidates for the links of a position, to be brought into the order of (distance, how far behind the position in leaf order).
/// </summary>
/// <remarks>
/// Positions count round from the one whose links are sought. So among copies of a vector each prefers the one that follows it, and copies
/// form a
/// ring instead of all pointing at one; and ties at other distances go to different candidates for different positions. Not thread-safe.
/// </remarks>
internal sealed class CandidateKeys(int count)
{
    private readonly List<ulong> _keys = [];
    private int _position;

    /// <summary>How many candidates.</summary>
    public int Count => _keys.Count;

    /// <summary>Starts anew for a position.</summary>
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

    /// <summary>Sorts the candidates and drops those that were added twice, which must have been added with the same distance.</summary>
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

    /// <summary>The position of a candidate.</summary>
    public int Position(int index)
    {
        int position = PointKey.Point(_keys[index]) + _position;
        return position >= count || position < 0 ? position - count : position;
    }

    /// <summary>Writes out positions and distances; both have room for <see cref="Count"/>.</summary>
    public void Unpack(Span<int> positions, Span<float> distances)
    {
        for (int i = 0; i < _keys.Count; i++)
        {
            positions[i] = Position(i);
            distances[i] = PointKey.Distance(_keys[i]);
        }
    }
}

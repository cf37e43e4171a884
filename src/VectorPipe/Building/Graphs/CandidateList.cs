using System.Diagnostics;

namespace VectorPipe.Building.Graphs;

/// <summary>The nearest L points that a greedy search has met, by (distance, point), each expanded or not.</summary>
/// <remarks>Not thread-safe. Allocates only when created.</remarks>
internal sealed class CandidateList
{
    private readonly ulong[] _keys;
    private int _size;

    // No entry before this one is unexpanded.
    private int _cursor;

    public CandidateList(int capacity)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        _keys = new ulong[capacity];
    }

    /// <summary>The entries, nearest first.</summary>
    public ReadOnlySpan<ulong> Keys => _keys.AsSpan(0, _size);

    public void Clear() => _size = _cursor = 0;

    /// <summary>Adds a point that is not in the list, unless the list is full of nearer ones.</summary>
    public void Offer(float distance, int point)
    {
        ulong key = PointKey.Pack(distance, point);
        if (_size == _keys.Length && key >= _keys[_size - 1])
            return;

        int low = 0;
        int high = _size;
        while (low < high)
        {
            int middle = (int)((uint)(low + high) >> 1);
            if (_keys[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }

        if (_size < _keys.Length)
            _size++;
        Array.Copy(_keys, low, _keys, low + 1, _size - 1 - low);
        _keys[low] = key;
        _cursor = Math.Min(_cursor, low);
        AssertInvariants();
    }

    /// <summary>Marks the nearest unexpanded entry as expanded; false if there is none.</summary>
    public bool TryExpand(out ulong key)
    {
        while (_cursor < _size)
        {
            key = _keys[_cursor];
            if ((key & PointKey.Mark) == 0)
            {
                _keys[_cursor++] = key | PointKey.Mark;
                return true;
            }

            _cursor++;
        }

        key = 0;
        return false;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        for (int i = 0; i < _size; i++)
        {
            Debug.Assert(i == 0 || _keys[i - 1] < _keys[i], "entries are in ascending order");
            Debug.Assert(i >= _cursor || (_keys[i] & PointKey.Mark) != 0, "entries before the cursor are expanded");
        }
    }
}

using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching;

/// <summary>Ids that a query has scored: each is scored once.</summary>
/// <remarks>
/// <para>Open addressing with linear probing over a power of two of slots, three quarters full at most. Not thread-safe.
/// AggressiveOptimization: see <see cref="CandidatePool"/>.</para>
/// <para>A few queries see many more ids than most. Memory for them is reserved beforehand, so that a search that has run for an hour does not
/// allocate for the first such query of a slot; and the set becomes small again behind it, since a small one stays in the first-level cache.</para>
/// </remarks>
internal sealed class SeenSet
{
    private const uint Empty = uint.MaxValue;

    // 8,192 slots are 32 KiB: most queries see 3,000 to 5,000 ids and stay within the first-level cache.
    private const int LeastSize = 8192;

    // In use is the first part of one array; when that is three quarters full the ids move to the other one, twice as many slots, and so on in turn.
    private uint[] _slots = new uint[LeastSize];
    private uint[] _other = [];
    private int _size = LeastSize;
    private int _reserved = LeastSize;
    private int _count;

    public SeenSet() => _slots.AsSpan().Fill(Empty);

    /// <summary>Makes sure that a number of ids can be added without an allocation. Forgets everything if there is more to reserve.</summary>
    public void Reserve(int ids)
    {
        int size = (int)BitOperations.RoundUpToPowerOf2((uint)ids * 2);
        if (size <= _reserved)
            return;

        // The array in use at the last size must be the whole one: which of the two comes first follows from the number of moves until then.
        uint[] whole = new uint[size];
        uint[] half = new uint[Math.Max(LeastSize, size / 2)];
        bool isEven = BitOperations.Log2((uint)(size / LeastSize)) % 2 == 0;
        (_slots, _other) = isEven ? (whole, half) : (half, whole);
        _size = LeastSize;
        _reserved = size;
        _slots.AsSpan(0, _size).Fill(Empty);
        _count = 0;
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        while (_size > LeastSize && _count <= _size / 4)
        {
            (_slots, _other) = (_other, _slots);
            _size /= 2;
        }

        _slots.AsSpan(0, _size).Fill(Empty);
        _count = 0;
    }

    /// <summary>Adds an id; false if it was there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool Add(uint id)
    {
        uint[] slots = _slots;
        uint mask = (uint)_size - 1;
        uint at = Hash(id, _size);
        while (slots[at & mask] != Empty)
        {
            if (slots[at & mask] == id)
                return false;
            at++;
        }

        slots[at & mask] = id;
        if (++_count > _size / 4 * 3)
            Grow();
        return true;
    }

    private static uint Hash(uint id, int size) => (id * 0x9E37_79B1u) >> (32 - BitOperations.Log2((uint)size));

    private void Grow()
    {
        ReadOnlySpan<uint> old = _slots.AsSpan(0, _size);
        int size = _size * 2;
        if (_other.Length < size)
            _other = new uint[size];
        (_slots, _other) = (_other, _slots);
        _size = size;
        _reserved = Math.Max(_reserved, size);
        _slots.AsSpan(0, _size).Fill(Empty);
        _count = 0;
        foreach (uint id in old)
        {
            if (id != Empty)
                Add(id);
        }
    }
}

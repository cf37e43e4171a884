using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching;

/// <summary>Ids that a query has scored: each is scored once.</summary>
/// <remarks>Open addressing with linear probing over a power of two of slots, half full at most. Not thread-safe.
/// AggressiveOptimization: see <see cref="CandidatePool"/>.</remarks>
internal sealed class SeenSet
{
    private const uint Empty = uint.MaxValue;

    // 8,192 slots are 32 KiB: a query of L = 100 sees about 3,700 ids and stays within the first-level cache.
    private uint[] _slots = new uint[8192];
    private int _count;

    public SeenSet() => _slots.AsSpan().Fill(Empty);

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        _slots.AsSpan().Fill(Empty);
        _count = 0;
    }

    /// <summary>Adds an id; false if it was there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool Add(uint id)
    {
        uint[] slots = _slots;
        uint mask = (uint)slots.Length - 1;
        uint at = Hash(id, slots.Length);
        while (slots[at & mask] != Empty)
        {
            if (slots[at & mask] == id)
                return false;
            at++;
        }

        slots[at & mask] = id;
        if (++_count > slots.Length / 2)
            Grow();
        return true;
    }

    private static uint Hash(uint id, int size) => (id * 0x9E37_79B1u) >> (32 - BitOperations.Log2((uint)size));

    private void Grow()
    {
        uint[] old = _slots;
        _slots = new uint[old.Length * 2];
        Clear();
        foreach (uint id in old)
        {
            if (id != Empty)
                Add(id);
        }
    }
}

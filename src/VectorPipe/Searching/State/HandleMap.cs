using System.Diagnostics;
using System.Numerics;

namespace VectorPipe.Searching.State;

/// <summary>Maps handles to numbers, 0 or more: a table that is written and read at the same time.</summary>
/// <remarks>
/// One thread writes, any number read at the same time without a lock: a slot is published by the write of its value, a grown table by the
/// write of its reference. Nothing is removed.
/// </remarks>
internal sealed class HandleMap
{
    private const int LeastSlots = 64;

    // The largest power of two of an array.
    private const int MostSlots = 1 << 30;

    // Three slots of four at most: a handle takes 16 to 32 bytes, and an absent one is known after about eight slots at worst.
    private const int FullQuarters = 3;

    private readonly int _most;

    private Table _table = new(LeastSlots);

    /// <param name="mostSlots">The most slots of the table, a power of two.</param>
    public HandleMap(int mostSlots = MostSlots) => _most = MostOf(mostSlots);

    /// <summary>Handles in the map; exact on the writer's thread.</summary>
    public int Count { get; private set; }

    /// <summary>Handles that it takes beside those that it has; exact on the writer's thread.</summary>
    public int Room => _most - Count;

    /// <summary>Bytes of the table.</summary>
    public long Bytes => (long)_table.Values.Length * (sizeof(ulong) + sizeof(int));

    /// <summary>The number of a handle.</summary>
    public bool TryGet(ulong handle, out int entry)
    {
        Table table = Volatile.Read(ref _table);
        for (int slot = table.First(handle); ; slot = table.Next(slot))
        {
            int value = Volatile.Read(ref table.Values[slot]);
            entry = value - 1;
            if (value == 0 || table.Handles[slot] == handle)
                return value != 0;
        }
    }

    /// <summary>Sets the number of a handle.</summary>
    /// <exception cref="IndexWriteException">There is no room for another handle; nothing was changed.</exception>
    public void Set(ulong handle, int entry)
    {
        if (Room == 0 && !TryGet(handle, out _))
            throw new IndexWriteException($"Expected at most {_most} different keys that change between two rebuilds, found another one.");
        if (_table.Put(handle, entry + 1))
            Count++;
        if (Count > MostOf(_table.Values.Length))
            Grow();
        AssertInvariants();
    }

    /// <summary>All handles and their numbers; on the writer's thread.</summary>
    public IEnumerable<(ulong Handle, int Entry)> All()
    {
        Table table = _table;
        for (int slot = 0; slot < table.Values.Length; slot++)
        {
            if (table.Values[slot] != 0)
                yield return (table.Handles[slot], table.Values[slot] - 1);
        }
    }

    private static int MostOf(int slots) => slots / 4 * FullQuarters;

    private void Grow()
    {
        Table old = _table, grown = new(2 * old.Values.Length);
        for (int slot = 0; slot < old.Values.Length; slot++)
        {
            if (old.Values[slot] != 0)
                grown.Put(old.Handles[slot], old.Values[slot]);
        }

        Volatile.Write(ref _table, grown);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants() =>
        Debug.Assert(
            Count <= Math.Min(_most, MostOf(_table.Values.Length)) && BitOperations.IsPow2(_table.Values.Length),
            "a free slot ends every search");

    /// <summary>Open addressing, linear probing; the value 0 is a free slot.</summary>
    private sealed class Table(int slots)
    {
        public ulong[] Handles { get; } = new ulong[slots];

        public int[] Values { get; } = new int[slots];

        // Fibonacci hashing: handles may be consecutive numbers.
        public int First(ulong handle) => (int)((handle * 0x9E3779B97F4A7C15) >> 32) & (Values.Length - 1);

        public int Next(int slot) => (slot + 1) & (Values.Length - 1);

        public bool Put(ulong handle, int value)
        {
            int slot = First(handle);
            while (Values[slot] != 0 && Handles[slot] != handle)
                slot = Next(slot);
            bool isNew = Values[slot] == 0;
            Handles[slot] = handle;
            Volatile.Write(ref Values[slot], value);
            return isNew;
        }
    }
}

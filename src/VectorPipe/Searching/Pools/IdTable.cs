using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.Pools;

/// <summary>Values by id that one query knows: the distances of nodes, or the states of pages.</summary>
/// <remarks>
/// Open addressing with linear probing, half full at most. Only a part of the memory is in use: it doubles when it is half full, and a
/// clear halves it after a query that knew little. So a query pays for its own ids alone, and small tables stay in the first-level cache.
/// Not thread-safe. AggressiveOptimization: see docs/decisions.md#compiled-at-once.
/// </remarks>
/// <typeparam name="T">Type of a value.</typeparam>
internal sealed class IdTable<T>
    where T : unmanaged
{
    private const uint Empty = uint.MaxValue;
    private const int LeastSize = 512;

    // A clear frees more memory than this: one large query must not keep it for good.
    private const int MostKept = 1 << 16;

    // The table in use, and the one that it moves to when it grows; they take turns.
    private Slots _slots = new(LeastSize);
    private Slots _other = new(0);
    private int _size = LeastSize;
    private int _reserved = LeastSize;

    public IdTable() => _slots.Ids.AsSpan().Fill(Empty);

    public int Count { get; private set; }

    public int Capacity => _slots.Ids.Length + _other.Ids.Length;

    /// <summary>Slots in use, which a clear has to fill.</summary>
    public int Size => _size;

    /// <summary>Makes room for a number of ids, but for no more than a clear keeps. Clears the table if it has to allocate.</summary>
    public void Reserve(int ids)
    {
        int size = (int)Math.Min(MostKept, BitOperations.RoundUpToPowerOf2((uint)ids * 2));
        if (size <= _reserved)
            return;

        // The tables take turns as they grow, and the last size must find the larger one: count the moves until then.
        var whole = new Slots(size);
        var half = new Slots(Math.Max(LeastSize, size / 2));
        bool isEven = BitOperations.Log2((uint)(size / LeastSize)) % 2 == 0;
        (_slots, _other) = isEven ? (whole, half) : (half, whole);
        _reserved = size;
        Reset(LeastSize);
    }

    public void Clear()
    {
        int size = _size;
        if (_reserved > MostKept)
        {
            _slots = new Slots(LeastSize);
            _other = new Slots(0);
            _reserved = size = LeastSize;
        }

        while (size > LeastSize && Count <= size / 8)
        {
            (_slots, _other) = (_other, _slots);
            size /= 2;
        }

        Reset(size);
    }

    /// <summary>Adds all ids and their values to a list, in no order.</summary>
    public void AddTo(List<(uint Id, T Value)> list)
    {
        for (int i = 0; i < _size; i++)
        {
            if (_slots.Ids[i] != Empty)
                list.Add((_slots.Ids[i], _slots.Values[i]));
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool TryGet(uint id, [MaybeNullWhen(false)] out T value)
    {
        uint at = Find(id);
        value = _slots.Values[at];
        return _slots.Ids[at] == id;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Set(uint id, T value)
    {
        uint at = Find(id);
        _slots.Values[at] = value;
        if (_slots.Ids[at] == id)
            return;
        _slots.Ids[at] = id;
        if (++Count > _size / 2)
            Grow();
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private uint Find(uint id)
    {
        uint[] ids = _slots.Ids;
        uint mask = (uint)_size - 1;
        uint at = (id * 0x9E37_79B1u) >> (32 - BitOperations.Log2((uint)_size));
        while (ids[at & mask] != Empty && ids[at & mask] != id)
            at++;
        return at & mask;
    }

    private void Grow()
    {
        int size = _size * 2;
        if (_other.Ids.Length < size)
            _other = new Slots(size);
        (Slots old, int oldSize) = (_slots, _size);
        (_slots, _other) = (_other, _slots);
        _reserved = Math.Max(_reserved, size);
        Reset(size);
        for (int i = 0; i < oldSize; i++)
        {
            if (old.Ids[i] != Empty)
                Set(old.Ids[i], old.Values[i]);
        }
    }

    private void Reset(int size)
    {
        _size = size;
        Count = 0;
        _slots.Ids.AsSpan(0, size).Fill(Empty);
    }

    private readonly struct Slots(int size)
    {
        public uint[] Ids { get; } = new uint[size];

        public T[] Values { get; } = new T[size];
    }
}

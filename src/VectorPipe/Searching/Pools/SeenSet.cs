using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using VectorPipe.Numerics;

namespace VectorPipe.Searching.Pools;

/// <summary>Ids that a query has scored: each is scored once.</summary>
/// <remarks>
/// <para>Buckets of eight slots, three quarters full at most; an id that finds its bucket full goes on to the next. One comparison looks at
/// a bucket, without a branch on whether an id is new: see docs/decisions.md#visited-marks.</para>
/// <para>A few queries see many more ids than most. Their memory is reserved beforehand, up to a bound, so that they allocate nothing, and
/// the set becomes small again behind them, to stay in the first-level cache. Not thread-safe. AggressiveOptimization: see
/// docs/decisions.md#compiled-at-once.</para>
/// </remarks>
internal sealed class SeenSet
{
    private const uint Empty = uint.MaxValue;
    private const uint BucketSize = 8;

    // 8,192 slots are 32 KiB: most queries see 3,000 to 5,000 ids and stay within the first-level cache.
    private const int LeastSize = 8192;

    // A clear frees more memory than this: one large query must not keep it for good.
    private const int MostKept = 1 << 18;

    // The first part of one array is in use. When it is three quarters full, the ids move to twice as many slots of the other one.
    private uint[] _slots = new uint[LeastSize];
    private uint[] _other = [];
    private int _size = LeastSize;
    private int _reserved = LeastSize;
    private int _count;

    public SeenSet() => _slots.AsSpan().Fill(Empty);

    public int Capacity => _slots.Length + _other.Length;

    /// <summary>Makes room for a number of ids, but for no more than a clear keeps. Clears the set if it has to allocate.</summary>
    public void Reserve(int ids)
    {
        int size = (int)Math.Min(MostKept, BitOperations.RoundUpToPowerOf2((uint)ids * 2));
        if (size <= _reserved)
            return;

        // The arrays take turns as the set grows, and the last size must find the whole one: count the moves until then.
        uint[] whole = new uint[size];
        uint[] half = new uint[Math.Max(LeastSize, size / 2)];
        bool isEven = BitOperations.Log2((uint)(size / LeastSize)) % 2 == 0;
        (_slots, _other) = isEven ? (whole, half) : (half, whole);
        _size = LeastSize;
        _reserved = size;
        _slots.AsSpan(0, _size).Fill(Empty);
        _count = 0;
    }

    public void Clear()
    {
        if (_reserved > MostKept)
        {
            _slots = new uint[LeastSize];
            _other = [];
            _size = _reserved = LeastSize;
        }

        while (_size > LeastSize && _count <= _size / 4)
        {
            (_slots, _other) = (_other, _slots);
            _size /= 2;
        }

        _slots.AsSpan(0, _size).Fill(Empty);
        _count = 0;
    }

    public bool Add(uint id) => AddNew(new Span<uint>(ref id)) == 1;

    /// <summary>Prefetches the buckets of ids that are soon added: the cache loses them while a query waits for reads.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public unsafe void Prefetch(ReadOnlySpan<uint> ids)
    {
        if (!CachePrefetch.IsSupported)
            return;
        int shift = Shift(_size);
        ref uint slots = ref MemoryMarshal.GetArrayDataReference(_slots);
        foreach (uint id in ids)
            CachePrefetch.Line(Unsafe.AsPointer(ref Unsafe.Add(ref slots, FirstOf(id, shift))));
    }

    /// <summary>Adds ids, moves the new ones to the front, in their order, and counts them.</summary>
    public int AddNew(Span<uint> ids) => AddNew(ids, ids);

    /// <summary>Adds ids, copies the new ones, in their order, and counts them.</summary>
    /// <param name="ids">The ids.</param>
    /// <param name="fresh">Receives the new ones; room for all. May overlap <paramref name="ids"/> if it begins no later.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int AddNew(ReadOnlySpan<uint> ids, Span<uint> fresh)
    {
        Debug.Assert(fresh.Length >= ids.Length, "room for all");
        ref uint first = ref MemoryMarshal.GetReference(ids), target = ref MemoryMarshal.GetReference(fresh);
        int kept = 0;
        for (int done = 0; done < ids.Length;)
        {
            // As many as fit in any case.
            int room = (_size / 4 * 3) - _count;
            if (room == 0)
            {
                Grow();
                continue;
            }

            int end = Math.Min(ids.Length, done + room);
            int before = kept;
            int shift = Shift(_size);
            ref uint slots = ref MemoryMarshal.GetArrayDataReference(_slots);
            for (; done < end; done++)
            {
                uint id = Unsafe.Add(ref first, done);
                Unsafe.Add(ref target, kept) = id;
                kept += Note(ref slots, shift, id);
            }

            _count += kept - before;
        }

        return kept;
    }

    // 1 for an id that is new, 0 for others.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Note(ref uint slots, int shift, uint id)
    {
        Debug.Assert(id != Empty, "no node has this id");
        uint at = FirstOf(id, shift);
        while (true)
        {
            Vector256<uint> bucket = Vector256.LoadUnsafe(ref slots, at);
            uint same = Vector256.Equals(bucket, Vector256.Create(id)).ExtractMostSignificantBits();
            uint free = Vector256.Equals(bucket, Vector256<uint>.AllBitsSet).ExtractMostSignificantBits();
            if ((same | free) != 0)
            {
                // Slots fill from the front, so the first match is the id's own slot or the first free one.
                Unsafe.Add(ref slots, at + (uint)BitOperations.TrailingZeroCount(same | free)) = id;
                return same == 0 ? 1 : 0;
            }

            at = (at + BucketSize) & (uint.MaxValue >> shift);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint FirstOf(uint id, int shift) => ((id * 0x9E37_79B1u) >> shift) & ~(BucketSize - 1);

    private static int Shift(int size) => 32 - BitOperations.Log2((uint)size);

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
        foreach (uint id in old)
        {
            if (id != Empty)
                Note(ref _slots[0], Shift(_size), id);
        }
    }
}

using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using VectorPipe.Numerics;

namespace VectorPipe.Searching.Pools;

/// <summary>Ids that a query has scored: each is scored once.</summary>
/// <remarks>
/// <para>A power of two of slots in buckets of eight, three quarters full at most; an id that finds its bucket full goes on to the next. A
/// bucket is looked at in one comparison, and without a branch on whether an
/// id is new: no processor can guess that, and with probing slot by slot the marks were a fifth of a search's processor time. Not
/// thread-safe. AggressiveOptimization: see <see cref="CandidatePool"/>.</para>
/// <para>A few queries see many more ids than most. Memory for them is reserved beforehand, so that a search that has run for an hour does
/// not
/// allocate for the first such query of a slot; and the set becomes small again behind it, since a small one stays in the first-level
/// cache.</para>
/// </remarks>
internal sealed class SeenSet
{
    private const uint Empty = uint.MaxValue;
    private const uint BucketSize = 8;

    // 8,192 slots are 32 KiB: most queries see 3,000 to 5,000 ids and stay within the first-level cache.
    private const int LeastSize = 8192;

    // Above this a clear frees the memory: one large query must not keep it for good.
    private const int MostKept = 1 << 18;

    // In use is the first part of one array; when that is three quarters full the ids move to the other one, twice as many slots, and so on
    // in turn.
    private uint[] _slots = new uint[LeastSize];
    private uint[] _other = [];
    private int _size = LeastSize;
    private int _reserved = LeastSize;
    private int _count;

    public SeenSet() => _slots.AsSpan().Fill(Empty);

    /// <summary>Slots for which memory is allocated.</summary>
    public int Capacity => _slots.Length + _other.Length;

    /// <summary>
    /// Makes sure that a number of ids can be added without an allocation. Forgets everything if there is more to reserve.
    /// </summary>
    public void Reserve(int ids)
    {
        int size = (int)BitOperations.RoundUpToPowerOf2((uint)ids * 2);
        if (size <= _reserved)
            return;

        // The array in use at the last size must be the whole one: which of the two comes first follows from the number of moves until
        // then.
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

    /// <summary>Adds an id; false if it was there.</summary>
    public bool Add(uint id) => AddNew(new Span<uint>(ref id)) == 1;

    /// <summary>
    /// Has the buckets of ids that are soon added brought into the cache: those of a query that has waited for its reads are not there.
    /// </summary>
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

    /// <summary>Adds ids, and keeps those that are new, in their order.</summary>
    /// <param name="ids">Comes back with the new ones in front.</param>
    /// <returns>How many are new.</returns>
    public int AddNew(Span<uint> ids) => AddNew(ids, ids);

    /// <summary>Adds ids, and copies those that are new, in their order.</summary>
    /// <param name="ids">The ids.</param>
    /// <param name="fresh">Receives the new ones, and has room for all; it may be the memory of the ids, or what lies in front of
    /// them.</param>
    /// <returns>How many are new.</returns>
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
                // Where it is, or the first free slot: slots fill from the front, so what comes first is the one or the other.
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

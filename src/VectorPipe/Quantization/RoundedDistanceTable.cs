using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Quantization;

/// <summary>A query's distance table rounded to 16 bits, with one step for all of it: the distances of 64 codes come out of registers instead of memory.</summary>
/// <remarks>
/// <para>An entry is off by half a step at most, a step being 1/65,535 of the widest chunk's range. (Of 8 bits the look-ups would take two thirds of the time, and cost 0.1 points of recall at
/// small lists.) The bytes of the entries lie apart, 256 low ones and then 256 high ones, and are summed apart. Sums are integers, so a code's distance is the same bit for bit on every path and in every batch.</para>
/// <para>Not thread-safe: one instance a query slot. Allocates only when created.</para>
/// </remarks>
internal sealed unsafe class RoundedDistanceTable
{
    /// <summary>Codes that are looked up at once.</summary>
    public const int Block = 64;

    /// <summary>The fewest bytes of a code that are looked up: they are turned in groups of this many.</summary>
    public const int MinRows = Group;

    /// <summary>The most bytes of a code that are looked up; their sum is far from the end of 32 bits.</summary>
    public const int MaxRows = 4096;

    private const int Group = 16;

    // Bytes of a code, a whole number of groups, whose sums of bytes fit into 16 bits.
    private const int Part = 256;

    // From so many codes on a block that is filled up takes no longer than one code after another, as soon as they are not in the nearest cache.
    private const int MinPadded = 8;
    private const int Centroids = CentroidSearch.Centroids;
    private const int RowBytes = 2 * Centroids;
    private const int Alignment = 64;

    private readonly byte[] _memory;
    private readonly byte* _table;
    private readonly int _rows;
    private readonly int _codeBytes;
    private float _step;
    private float _base;

    /// <param name="rows">Bytes of a code that are looked up, its first ones; <see cref="MinRows"/> to <see cref="MaxRows"/>.</param>
    /// <param name="codeBytes">Bytes from one code to the next; as many or more.</param>
    public RoundedDistanceTable(int rows, int codeBytes)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(rows, MinRows);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(rows, MaxRows);
        ArgumentOutOfRangeException.ThrowIfLessThan(codeBytes, rows);
        _rows = rows;
        _codeBytes = codeBytes;
        _memory = GC.AllocateArray<byte>((rows * RowBytes) + Alignment, pinned: true);
        _table = (byte*)((Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0) + Alignment - 1) & -Alignment);
    }

    /// <summary>Whether this processor looks up bytes in registers.</summary>
    public static bool IsSupported => Avx512Vbmi.IsSupported && Vector512.IsHardwareAccelerated;

    /// <summary>How far a distance may be from the sum of the entries that were rounded.</summary>
    public float MaxError => _rows * _step / 2;

    /// <summary>Rounds a table.</summary>
    /// <param name="table">256 floats for each byte of a code that is looked up.</param>
    /// <returns>False if entries are so large that a sum is not finite; no distance may be asked for then.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool TryFill(float* table)
    {
        float* least = stackalloc float[_rows];
        float widest = 0, sum = 0;
        for (int chunk = 0; chunk < _rows; chunk++)
        {
            Vector256<float> low = Vector256.Create(float.PositiveInfinity), high = Vector256.Create(float.NegativeInfinity);
            for (float* entry = table + (chunk * Centroids), end = entry + Centroids; entry < end; entry += Vector256<float>.Count)
            {
                Vector256<float> values = Vector256.Load(entry);
                low = Vector256.MinNative(low, values);
                high = Vector256.MaxNative(high, values);
            }

            least[chunk] = float.PositiveInfinity;
            float most = float.NegativeInfinity;
            for (int lane = 0; lane < Vector256<float>.Count; lane++)
            {
                least[chunk] = Math.Min(least[chunk], low[lane]);
                most = Math.Max(most, high[lane]);
            }

            widest = Math.Max(widest, most - least[chunk]);
            sum += least[chunk];
        }

        if (!float.IsFinite(widest) || !float.IsFinite(sum))
            return false;
        _base = sum;
        _step = widest / ushort.MaxValue;
        float factor = widest > 0 ? ushort.MaxValue / widest : 0;
        for (int chunk = 0; chunk < _rows; chunk++)
        {
            Vector256<float> factors = Vector256.Create(factor), offset = Vector256.Create(0.5f), low = Vector256.Create(least[chunk]);
            float* entry = table + (chunk * Centroids);
            byte* target = _table + (chunk * RowBytes);
            for (int c = 0; c < Centroids; c += 32)
            {
                Vector256<int> a = Vector256.ConvertToInt32(((Vector256.Load(entry + c) - low) * factors) + offset);
                Vector256<int> b = Vector256.ConvertToInt32(((Vector256.Load(entry + c + 8) - low) * factors) + offset);
                Vector256<int> d = Vector256.ConvertToInt32(((Vector256.Load(entry + c + 16) - low) * factors) + offset);
                Vector256<int> e = Vector256.ConvertToInt32(((Vector256.Load(entry + c + 24) - low) * factors) + offset);
                Vector256<ushort> first = Vector256.Narrow(a.AsUInt32(), b.AsUInt32()), second = Vector256.Narrow(d.AsUInt32(), e.AsUInt32());
                Vector256.Narrow(first & Vector256.Create((ushort)0xFF), second & Vector256.Create((ushort)0xFF)).Store(target + c);
                Vector256.Narrow(first >> 8, second >> 8).Store(target + Centroids + c);
            }
        }

        GC.KeepAlive(this); // The loops hold a bare pointer into this object's pinned memory.
        return true;
    }

    /// <summary>The distances of codes. Needs <see cref="IsSupported"/>.</summary>
    /// <remarks>
    /// ns a code in batches of 64, by the exact table / by this one, 32 bytes: 7.5 / 2.7 in the first-level cache, 10.7 / 7.9 from 32 MB, 12.0 / 10.5 from 1 GiB; 96 bytes: 30 / 9, 31 / 19 and 32 / 19
    /// (AMD EPYC that others used as well, huge pages; without them, from 1 GiB: 23 / 15 and 33 / 22). Rounding a table takes 2 us for 32 bytes and 6 for 96.
    /// </remarks>
    /// <param name="codes">The code of id 0.</param>
    /// <param name="ids">The ids.</param>
    /// <param name="count">How many.</param>
    /// <param name="result">Receives as many distances.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    [SkipLocalsInit]
    public void Distances(byte* codes, uint* ids, int count, float* result)
    {
        int i = 0;
        for (; i <= count - Block; i += Block)
            SixtyFour(codes, ids + i, result + i);
        int left = count - i;
        if (left < MinPadded)
        {
            for (; i < count; i++)
                result[i] = One(codes + ((nint)ids[i] * _codeBytes));
            return;
        }

        // A block that is not full looks up its last code several times.
        uint* padded = stackalloc uint[Block];
        float* distances = stackalloc float[Block];
        for (int k = 0; k < Block; k++)
            padded[k] = ids[i + Math.Min(k, left - 1)];
        SixtyFour(codes, padded, distances);
        new ReadOnlySpan<float>(distances, left).CopyTo(new Span<float>(result + i, left));
    }

    /// <summary>The distance of one code.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public float One(byte* code)
    {
        int sum = 0;
        byte* row = _table;
        for (int j = 0; j < _rows; j++, row += RowBytes)
            sum += row[code[j]] + (row[Centroids + code[j]] << 8);
        float distance = (sum * _step) + _base;
        GC.KeepAlive(this); // The loop holds a bare pointer into this object's pinned memory.
        return distance;
    }

    /// <summary>The distances of 64 codes. Needs <see cref="IsSupported"/>.</summary>
    /// <param name="codes">The code of id 0.</param>
    /// <param name="ids">64 ids.</param>
    /// <param name="result">Receives 64 distances.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    [SkipLocalsInit]
    internal void SixtyFour(byte* codes, uint* ids, float* result)
    {
        byte* turned = stackalloc byte[Group * Block + Alignment];
        turned = (byte*)(((nint)turned + Alignment - 1) & -Alignment);
        int* sums = stackalloc int[Block];
        new Span<int>(sums, Block).Clear();
        for (int done = 0; done < _rows;)
        {
            Vector512<ushort> low = default, high = default, lowTops = default, highTops = default;
            for (int end = Math.Min(done + Part, _rows); done < end;)
            {
                // The last group begins early enough to end with the code; of its bytes those that were counted are passed over.
                int first = Math.Min(done, _rows - Group);
                Turn(codes + first, ids, _codeBytes, turned);
                for (int j = done - first; j < Group; j++, done++)
                {
                    byte* row = _table + (done * RowBytes);
                    Vector512<byte> code = Vector512.LoadAligned(turned + (j * Block));
                    Vector512<byte> entry = LookUp(row, code), top = LookUp(row + Centroids, code);
                    low += Avx512BW.UnpackLow(entry, Vector512<byte>.Zero).AsUInt16();
                    high += Avx512BW.UnpackHigh(entry, Vector512<byte>.Zero).AsUInt16();
                    lowTops += Avx512BW.UnpackLow(top, Vector512<byte>.Zero).AsUInt16();
                    highTops += Avx512BW.UnpackHigh(top, Vector512<byte>.Zero).AsUInt16();
                }
            }

            Add(low.GetLower(), lowTops.GetLower(), sums);
            Add(high.GetLower(), highTops.GetLower(), sums + 8);
            Add(low.GetUpper(), lowTops.GetUpper(), sums + 32);
            Add(high.GetUpper(), highTops.GetUpper(), sums + 40);
        }

        Vector512<float> steps = Vector512.Create(_step), offset = Vector512.Create(_base);
        for (int i = 0; i < Block; i += Vector512<int>.Count)
            ((Vector512.ConvertToSingle(Vector512.Load(sums + i)) * steps) + offset).Store(result + i);
        GC.KeepAlive(this); // The loop holds a bare pointer into this object's pinned memory.
    }

    /// <summary>Bytes of a row: seven bits of a code choose within a half of it, 128 bytes in two registers, and the eighth chooses the half.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<byte> LookUp(byte* row, Vector512<byte> code)
    {
        Vector512<byte> below = Avx512Vbmi.PermuteVar64x8x2(Vector512.LoadAligned(row), code, Vector512.LoadAligned(row + 64));
        Vector512<byte> above = Avx512Vbmi.PermuteVar64x8x2(Vector512.LoadAligned(row + 128), code, Vector512.LoadAligned(row + 192));
        return Avx512BW.BlendVariable(below, above, code);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Add(Vector256<ushort> bytes, Vector256<ushort> tops, int* sums)
    {
        Add(bytes.GetLower(), tops.GetLower(), sums);
        Add(bytes.GetUpper(), tops.GetUpper(), sums + 16);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Add(Vector128<ushort> bytes, Vector128<ushort> tops, int* sums) =>
        (Vector256.Load(sums) + Avx2.ConvertToVector256Int32(bytes) + (Avx2.ConvertToVector256Int32(tops) << 8)).Store(sums);

    /// <summary>Turns 64 codes' next 16 bytes into 16 rows: byte j of every code in row j.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Turn(byte* codes, uint* ids, nint length, byte* turned)
    {
        // Register i holds the codes i, i + 16, i + 32 and i + 48. Interleaving registers i and i + 8 moves the highest bit of a byte's register number to the lowest of its place;
        // after four times, register and place within 16 have changed sides.
        Vector512<byte> a0 = Four(codes, ids, length), a1 = Four(codes, ids + 1, length), a2 = Four(codes, ids + 2, length), a3 = Four(codes, ids + 3, length);
        Vector512<byte> a4 = Four(codes, ids + 4, length), a5 = Four(codes, ids + 5, length), a6 = Four(codes, ids + 6, length), a7 = Four(codes, ids + 7, length);
        Vector512<byte> a8 = Four(codes, ids + 8, length), a9 = Four(codes, ids + 9, length), a10 = Four(codes, ids + 10, length), a11 = Four(codes, ids + 11, length);
        Vector512<byte> a12 = Four(codes, ids + 12, length), a13 = Four(codes, ids + 13, length), a14 = Four(codes, ids + 14, length), a15 = Four(codes, ids + 15, length);
        for (int round = 0; round < 4; round++)
        {
            Vector512<byte> b0 = Low(a0, a8), b1 = High(a0, a8), b2 = Low(a1, a9), b3 = High(a1, a9);
            Vector512<byte> b4 = Low(a2, a10), b5 = High(a2, a10), b6 = Low(a3, a11), b7 = High(a3, a11);
            Vector512<byte> b8 = Low(a4, a12), b9 = High(a4, a12), b10 = Low(a5, a13), b11 = High(a5, a13);
            Vector512<byte> b12 = Low(a6, a14), b13 = High(a6, a14), b14 = Low(a7, a15), b15 = High(a7, a15);
            (a0, a1, a2, a3) = (b0, b1, b2, b3);
            (a4, a5, a6, a7) = (b4, b5, b6, b7);
            (a8, a9, a10, a11) = (b8, b9, b10, b11);
            (a12, a13, a14, a15) = (b12, b13, b14, b15);
        }

        a0.StoreAligned(turned);
        a1.StoreAligned(turned + Block);
        a2.StoreAligned(turned + (2 * Block));
        a3.StoreAligned(turned + (3 * Block));
        a4.StoreAligned(turned + (4 * Block));
        a5.StoreAligned(turned + (5 * Block));
        a6.StoreAligned(turned + (6 * Block));
        a7.StoreAligned(turned + (7 * Block));
        a8.StoreAligned(turned + (8 * Block));
        a9.StoreAligned(turned + (9 * Block));
        a10.StoreAligned(turned + (10 * Block));
        a11.StoreAligned(turned + (11 * Block));
        a12.StoreAligned(turned + (12 * Block));
        a13.StoreAligned(turned + (13 * Block));
        a14.StoreAligned(turned + (14 * Block));
        a15.StoreAligned(turned + (15 * Block));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<byte> Four(byte* codes, uint* ids, nint length) => Vector512.Create(
        Vector256.Create(Vector128.Load(codes + (ids[0] * length)), Vector128.Load(codes + (ids[16] * length))),
        Vector256.Create(Vector128.Load(codes + (ids[32] * length)), Vector128.Load(codes + (ids[48] * length))));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<byte> Low(Vector512<byte> a, Vector512<byte> b) => Avx512BW.UnpackLow(a, b);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<byte> High(Vector512<byte> a, Vector512<byte> b) => Avx512BW.UnpackHigh(a, b);
}

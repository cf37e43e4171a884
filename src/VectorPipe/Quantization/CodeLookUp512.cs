using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Quantization;

/// <summary>Sums rounded entries of 64 codes at once, looked up in registers of 512 bits. No state.</summary>
/// <remarks>A row of the table is two planes: the 256 low bytes of its entries, then the 256 high ones. They are summed apart.</remarks>
internal static unsafe class CodeLookUp512
{
    /// <summary>Codes of a block, looked up at once.</summary>
    public const int Block = 64;

    /// <summary>Bytes of a code that are transposed at once; a code has at least as many.</summary>
    public const int Group = 16;

    /// <summary>Bytes of a row.</summary>
    public const int RowBytes = 2 * Centroids;

    private const int Centroids = CentroidSearch.Centroids;

    // The sums of 256 bytes fit into 16 bits.
    private const int Part = 256;

    // From this many codes on, a padded block takes no longer than single codes, unless the codes are in the first-level cache.
    private const int MinPadded = 8;
    private const int Alignment = 64;

    public static bool IsSupported => Avx512Vbmi.IsSupported && Vector512.IsHardwareAccelerated;

    /// <summary>Computes the sums of codes. Needs <see cref="IsSupported"/>.</summary>
    /// <param name="table">The rows, aligned to 64 bytes.</param>
    /// <param name="codeBytes">Bytes of a code; <see cref="Group"/> or more.</param>
    /// <param name="codes">The code of id 0.</param>
    /// <param name="ids">The ids.</param>
    /// <param name="count">The number of ids.</param>
    /// <param name="sums">Receives as many sums.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    [SkipLocalsInit]
    public static void Sums(byte* table, int codeBytes, byte* codes, uint* ids, int count, int* sums)
    {
        int i = 0;
        for (; i <= count - Block; i += Block)
            SixtyFour(table, codeBytes, codes, ids + i, sums + i);
        int left = count - i;
        if (left < MinPadded)
        {
            for (; i < count; i++)
                sums[i] = One(table, codeBytes, codes + ((nint)ids[i] * codeBytes));
            return;
        }

        // Pad the block with copies of the last code.
        uint* padded = stackalloc uint[Block];
        int* all = stackalloc int[Block];
        for (int k = 0; k < Block; k++)
            padded[k] = ids[i + Math.Min(k, left - 1)];
        SixtyFour(table, codeBytes, codes, padded, all);
        new ReadOnlySpan<int>(all, left).CopyTo(new Span<int>(sums + i, left));
    }

    /// <summary>Computes the sum of one code, on every processor.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int One(byte* table, int codeBytes, byte* code)
    {
        int sum = 0;
        for (int j = 0; j < codeBytes; j++, table += RowBytes)
            sum += table[code[j]] + (table[Centroids + code[j]] << 8);
        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    [SkipLocalsInit]
    private static void SixtyFour(byte* table, int codeBytes, byte* codes, uint* ids, int* sums)
    {
        byte* turned = stackalloc byte[Group * Block + Alignment];
        turned = (byte*)(((nint)turned + Alignment - 1) & -Alignment);
        new Span<int>(sums, Block).Clear();
        for (int done = 0; done < codeBytes;)
        {
            Vector512<ushort> low = default, high = default, lowTops = default, highTops = default;
            for (int end = Math.Min(done + Part, codeBytes); done < end;)
            {
                // The last group ends with the code, so it may overlap the group before it; skip the bytes that were counted.
                int first = Math.Min(done, codeBytes - Group);
                Turn(codes + first, ids, codeBytes, turned);
                for (int j = done - first; j < Group; j++, done++)
                {
                    byte* row = table + (done * RowBytes);
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
    }

    /// <summary>Looks up a plane: seven bits of a byte choose among 128 bytes in two registers, the eighth chooses the half.</summary>
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

    /// <summary>Transposes 16 bytes of 64 codes: byte j of every code goes to row j.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Turn(byte* codes, uint* ids, nint length, byte* turned)
    {
        // Register i holds the codes i, i + 16, i + 32 and i + 48. Interleaving registers i and i + 8 moves the highest bit of the register
        // number of a byte to the lowest bit of its place. After four rounds, register and place within 16 are exchanged.
        Vector512<byte> a0 = Four(codes, ids, length), a1 = Four(codes, ids + 1, length);
        Vector512<byte> a2 = Four(codes, ids + 2, length), a3 = Four(codes, ids + 3, length);
        Vector512<byte> a4 = Four(codes, ids + 4, length), a5 = Four(codes, ids + 5, length);
        Vector512<byte> a6 = Four(codes, ids + 6, length), a7 = Four(codes, ids + 7, length);
        Vector512<byte> a8 = Four(codes, ids + 8, length), a9 = Four(codes, ids + 9, length);
        Vector512<byte> a10 = Four(codes, ids + 10, length), a11 = Four(codes, ids + 11, length);
        Vector512<byte> a12 = Four(codes, ids + 12, length), a13 = Four(codes, ids + 13, length);
        Vector512<byte> a14 = Four(codes, ids + 14, length), a15 = Four(codes, ids + 15, length);
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

using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Storage.Nodes;

/// <summary>Elias-Fano coding (Elias 1974, Fano 1971) of ascending internal ids: at most log2(nodes / links) + 2 bits each.</summary>
/// <remarks>
/// The low b = log2(nodes / links) bits of all ids, packed, up to a whole byte; then the high bits in unary: id i has bit (id >> b) + i
/// set, up to a whole byte. A block of the page graph takes a bit more per link than with <see cref="GapCode"/>, but reads faster
/// (docs/decisions.md#coding-of-links).
/// </remarks>
internal static unsafe class EliasFanoCode
{
    /// <summary>Readable bytes required behind a list.</summary>
    public const int Padding = 8;

    public static int ByteLength(ReadOnlySpan<uint> ids, uint universe) => ids.IsEmpty ? 0 : ByteLength(ids.Length, ids[^1], universe);

    /// <summary>Bytes of a list of at least one id.</summary>
    public static int ByteLength(int count, uint highest, uint universe)
    {
        int low = LowBits(universe, count);
        return LowBytes(count, low) + HighBytes(highest >> low, count);
    }

    /// <summary>Writes a list of ascending, different ids to zeroed bytes, and returns how many it takes.</summary>
    public static int Encode(ReadOnlySpan<uint> ids, uint universe, Span<byte> destination)
    {
        if (ids.IsEmpty)
            return 0;
        int low = LowBits(universe, ids.Length);
        int lowBytes = LowBytes(ids.Length, low);
        for (int i = 0; i < ids.Length; i++)
        {
            Debug.Assert(ids[i] < universe && (i == 0 || ids[i] > ids[i - 1]), "ids ascend below the number of nodes");
            long bit = (long)i * low;
            for (ulong rest = ids[i] & ((1UL << low) - 1), at = (ulong)bit; rest != 0; at++, rest >>= 1)
                destination[(int)(at >> 3)] |= (byte)((rest & 1) << (int)(at & 7));
            long high = (ids[i] >> low) + i;
            destination[lowBytes + (int)(high >> 3)] |= (byte)(1 << (int)(high & 7));
        }

        return lowBytes + HighBytes(ids[^1] >> low, ids.Length);
    }

    /// <summary>Reads <paramref name="count"/> ids; false if the bytes are no list of as many ids.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static bool TryDecode(byte* source, int length, int count, uint universe, uint* ids)
    {
        if (count == 0)
            return true;
        int low = LowBits(universe, count);
        ulong mask = (1UL << low) - 1;
        int lowBytes = LowBytes(count, low);
        if (lowBytes >= length)
            return false;
        int n = 0;
        long position = 0;
        for (byte* high = source + lowBytes; high < source + length; high += sizeof(ulong), position += 64)
        {
            for (ulong word = Load(high); word != 0; word &= word - 1)
            {
                ulong bit = (ulong)n * (uint)low;
                ulong lowPart = (Load(source + (bit >> 3)) >> (int)(bit & 7)) & mask;
                ids[n] = (uint)((ulong)(position + BitOperations.TrailingZeroCount(word) - n) << low | lowPart);
                if (++n == count)
                    return true;
            }
        }

        return false;
    }

    private static ulong Load(byte* at) => BinaryPrimitives.ReadUInt64LittleEndian(new ReadOnlySpan<byte>(at, sizeof(ulong)));

    private static int LowBits(uint universe, int count) => universe <= (uint)count ? 0 : BitOperations.Log2(universe / (uint)count);

    private static int LowBytes(int count, int low) => (int)(((long)count * low + 7) >> 3);

    private static int HighBytes(uint highest, int count) => (int)(((long)highest + count + 7) >> 3);
}

using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Hashing;

/// <summary>CRC-32C (Castagnoli, reflected polynomial 0x82F63B78, initial value and final xor of all ones), as of iSCSI and ext4.</summary>
/// <remarks>
/// <para>Long inputs are folded by carry-less multiplication: a block B that lies D bits before the end contributes the same as
/// B x (x^D mod P), so that running blocks of 64 or 16 bytes are carried forward by two multiplications each. The constant of a fold over D
/// bits is the bit-reversal of x^n mod P, shifted left once, with n = D + 32 for the low half of a block and n = D - 32 for the high one.
/// The crc32 instruction does the final reduction.</para>
/// <para>Times: docs/decisions.md#checksum-and-hash.</para>
/// </remarks>
internal static unsafe class Crc32C
{
    private const ulong Fold2048Low = 0xdcb17aa4, Fold2048High = 0xb9e02b86;
    private const ulong Fold512Low = 0x740eef02, Fold512High = 0x9e4addf8;
    private const ulong Fold128Low = 0xf20c0dfe, Fold128High = 0x14cd00bd6;

    /// <summary>Whether <see cref="Fold512"/> can run here.</summary>
    internal static bool CanFold512 => Vector512.IsHardwareAccelerated && Pclmulqdq.V512.IsSupported && Sse42.X64.IsSupported;

    /// <summary>Whether <see cref="Fold128"/> can run here.</summary>
    internal static bool CanFold128 => Pclmulqdq.IsSupported && Sse42.X64.IsSupported;

    /// <summary>Computes the checksum of bytes, or continues that of the bytes before them.</summary>
    /// <param name="data">Any number of bytes at any address.</param>
    /// <param name="seed">0, or the checksum of the bytes that come before.</param>
    public static uint Compute(ReadOnlySpan<byte> data, uint seed = 0)
    {
        fixed (byte* start = data)
        {
            if (CanFold512 && data.Length >= 256)
                return ~Fold512(start, data.Length, ~seed);
            if (CanFold128 && data.Length >= 64)
                return ~Fold128(start, data.Length, ~seed);
            return ~Plain(start, data.Length, ~seed);
        }
    }

    /// <summary>Advances the raw remainder over 256 bytes or more by four running blocks of 64 bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // A page check must not run as tier-0 code while a process starts.
    internal static uint Fold512(byte* data, int length, uint crc)
    {
        Vector512<ulong> a = Vector512.Load((ulong*)data) ^ Vector512.CreateScalar((ulong)crc);
        Vector512<ulong> b = Vector512.Load((ulong*)(data + 64));
        Vector512<ulong> c = Vector512.Load((ulong*)(data + 128));
        Vector512<ulong> d = Vector512.Load((ulong*)(data + 192));
        data += 256;
        length -= 256;
        Vector512<ulong> factor = Vector512.Create(Vector128.Create(Fold2048Low, Fold2048High));
        for (; length >= 256; length -= 256, data += 256)
        {
            a = Fold(a, factor, Vector512.Load((ulong*)data));
            b = Fold(b, factor, Vector512.Load((ulong*)(data + 64)));
            c = Fold(c, factor, Vector512.Load((ulong*)(data + 128)));
            d = Fold(d, factor, Vector512.Load((ulong*)(data + 192)));
        }

        factor = Vector512.Create(Vector128.Create(Fold512Low, Fold512High));
        a = Fold(Fold(Fold(a, factor, b), factor, c), factor, d);
        for (; length >= 64; length -= 64, data += 64)
            a = Fold(a, factor, Vector512.Load((ulong*)data));

        Vector128<ulong> factor128 = Vector128.Create(Fold128Low, Fold128High);
        Vector128<ulong> block = Fold(a.GetLower().GetLower(), factor128, a.GetLower().GetUpper());
        block = Fold(Fold(block, factor128, a.GetUpper().GetLower()), factor128, a.GetUpper().GetUpper());
        return Finish(block, data, length);
    }

    /// <summary>Advances the raw remainder over 64 bytes or more by four running blocks of 16 bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static uint Fold128(byte* data, int length, uint crc)
    {
        Vector128<ulong> a = Vector128.Load((ulong*)data) ^ Vector128.CreateScalar((ulong)crc);
        Vector128<ulong> b = Vector128.Load((ulong*)(data + 16));
        Vector128<ulong> c = Vector128.Load((ulong*)(data + 32));
        Vector128<ulong> d = Vector128.Load((ulong*)(data + 48));
        data += 64;
        length -= 64;
        Vector128<ulong> factor = Vector128.Create(Fold512Low, Fold512High);
        for (; length >= 64; length -= 64, data += 64)
        {
            a = Fold(a, factor, Vector128.Load((ulong*)data));
            b = Fold(b, factor, Vector128.Load((ulong*)(data + 16)));
            c = Fold(c, factor, Vector128.Load((ulong*)(data + 32)));
            d = Fold(d, factor, Vector128.Load((ulong*)(data + 48)));
        }

        factor = Vector128.Create(Fold128Low, Fold128High);
        return Finish(Fold(Fold(Fold(a, factor, b), factor, c), factor, d), data, length);
    }

    /// <summary>Advances the raw remainder by the processor's crc32 instruction, or the framework's table where there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static uint Plain(byte* data, int length, uint crc)
    {
        for (; length >= 8; length -= 8, data += 8)
            crc = BitOperations.Crc32C(crc, Unsafe.ReadUnaligned<ulong>(data));
        for (; length > 0; length--, data++)
            crc = BitOperations.Crc32C(crc, *data);
        return crc;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static uint Finish(Vector128<ulong> block, byte* data, int length)
    {
        Vector128<ulong> factor = Vector128.Create(Fold128Low, Fold128High);
        for (; length >= 16; length -= 16, data += 16)
            block = Fold(block, factor, Vector128.Load((ulong*)data));
        uint crc = (uint)Sse42.X64.Crc32(Sse42.X64.Crc32(0, block.GetElement(0)), block.GetElement(1));
        return Plain(data, length, crc);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<ulong> Fold(Vector512<ulong> block, Vector512<ulong> factor, Vector512<ulong> next) =>
        Pclmulqdq.V512.CarrylessMultiply(block, factor, 0x00) ^ Pclmulqdq.V512.CarrylessMultiply(block, factor, 0x11) ^ next;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ulong> Fold(Vector128<ulong> block, Vector128<ulong> factor, Vector128<ulong> next) =>
        Pclmulqdq.CarrylessMultiply(block, factor, 0x00) ^ Pclmulqdq.CarrylessMultiply(block, factor, 0x11) ^ next;
}

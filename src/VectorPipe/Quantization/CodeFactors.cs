using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace VectorPipe.Quantization;

/// <summary>The factors at the end of a code: two numbers of 16 bits, each a binary32 from 0 up without its sign and its last 15 bits. The scale lies first.</summary>
/// <param name="Scale">What a sum of entries is multiplied with.</param>
/// <param name="SquaredNorm">Of the centred vector.</param>
internal readonly record struct CodeFactors(float Scale, float SquaredNorm)
{
    /// <summary>Bytes of both.</summary>
    public const int Bytes = 4;

    /// <summary>How far a stored number may be from what was to be stored, as a share of it.</summary>
    public const float MaxRounding = 1f / 512;

    private const int Dropped = 15;

    /// <summary>Unpacks both.</summary>
    /// <param name="packed">The bytes as a little-endian number.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static CodeFactors Unpack(uint packed) =>
        new(BitConverter.UInt32BitsToSingle((packed & 0xFFFF) << Dropped), BitConverter.UInt32BitsToSingle(packed >> 16 << Dropped));

    /// <summary>Reads both.</summary>
    /// <param name="source"><see cref="Bytes"/> bytes.</param>
    public static CodeFactors Read(ReadOnlySpan<byte> source) => Unpack(BinaryPrimitives.ReadUInt32LittleEndian(source));

    /// <summary>Writes both, each rounded to the nearest.</summary>
    /// <param name="destination">Receives <see cref="Bytes"/> bytes.</param>
    public void Write(Span<byte> destination) => BinaryPrimitives.WriteUInt32LittleEndian(destination, Pack(Scale) | (Pack(SquaredNorm) << 16));

    // A number that would round up to infinity stays below it.
    private static uint Pack(float value) => (BitConverter.SingleToUInt32Bits(Math.Min(value, float.MaxValue / 2)) + (1u << (Dropped - 1))) >> Dropped;
}

using System.Buffers.Binary;
using VectorPipe.Numerics;

namespace VectorPipe.Quantization;

/// <summary>A RaBitQ quantizer as one self-contained block of bytes, little-endian.</summary>
/// <remarks>
/// <code>
/// offset     size              meaning
/// 0          4                 magic "VPRQ"
/// 4          4   u32           version: 1
/// 8          4   u32           dimension D, 1 to 65,536
/// 12         4   u32           code bytes M: D / 8, rounded up, and 4, to D
/// 16         4   u32           rounds of the rotation: 8
/// 20         4D  f32           mean
/// 20+4D      S                 signs: a bit a round and component; S = D; lowest bit of the first byte first
/// end-4      4   u32           CRC-32C of all bytes before
/// </code>
/// </remarks>
internal static class RaBitQuantizerFormat
{
    private const uint Magic = 0x51525056, Version = 1;
    private const int HeaderBytes = 20;

    /// <summary>Bytes of the block of a quantizer of a dimension.</summary>
    public static int ByteLength(int dimension) => HeaderBytes + (4 * dimension) + HadamardRotation.SignBytes(dimension) + 4;

    /// <summary>Writes the block.</summary>
    /// <param name="quantizer">What is written.</param>
    /// <param name="destination">Receives <see cref="ByteLength"/> bytes; may be longer.</param>
    /// <exception cref="ArgumentException">The destination is too short.</exception>
    public static void Write(RaBitQuantizer quantizer, Span<byte> destination)
    {
        int length = ByteLength(quantizer.Dimension);
        if (destination.Length < length)
            throw new ArgumentException($"Expected room for {length} bytes, found {destination.Length}.", nameof(destination));
        uint[] header = [Magic, Version, (uint)quantizer.Dimension, (uint)quantizer.CodeBytes, HadamardRotation.Rounds];
        for (int i = 0; i < header.Length; i++)
            BinaryPrimitives.WriteUInt32LittleEndian(destination[(4 * i)..], header[i]);
        for (int k = 0; k < quantizer.Dimension; k++)
            BinaryPrimitives.WriteSingleLittleEndian(destination[(HeaderBytes + (4 * k))..], quantizer.Mean[k]);
        quantizer.Rotation.Signs.CopyTo(destination[(HeaderBytes + (4 * quantizer.Dimension))..]);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[(length - 4)..], Crc32C.Compute(destination[..(length - 4)]));
    }

    /// <summary>Reads a block, all of it.</summary>
    /// <exception cref="QuantizerFormatException">The bytes are not a RaBitQ quantizer, or damaged.</exception>
    public static RaBitQuantizer Read(ReadOnlySpan<byte> source)
    {
        if (source.Length < HeaderBytes)
            throw new QuantizerFormatException($"RaBitQ quantizer: expected at least {HeaderBytes} bytes, found {source.Length}.");
        Expect(source, 0, Magic, "magic number");
        Expect(source, 4, Version, "version");
        uint dimension = Field(source, 8), codeBytes = Field(source, 12);
        if (dimension < 1 || dimension > Quantizer.MaxDimension)
            throw new QuantizerFormatException($"RaBitQ quantizer: expected a dimension of 1 to {Quantizer.MaxDimension} at byte 8, found {dimension}.");
        if (codeBytes < RaBitQuantizer.LeastCodeBytes((int)dimension) || codeBytes > dimension)
            throw new QuantizerFormatException($"RaBitQ quantizer: expected {RaBitQuantizer.LeastCodeBytes((int)dimension)} to {dimension} code bytes at byte 12, found {codeBytes}.");
        Expect(source, 16, HadamardRotation.Rounds, "number of rounds");
        int length = ByteLength((int)dimension);
        if (source.Length != length)
            throw new QuantizerFormatException($"RaBitQ quantizer: expected {length} bytes, found {source.Length}.");
        Expect(source, length - 4, Crc32C.Compute(source[..(length - 4)]), "checksum");
        float[] mean = new float[dimension];
        for (int k = 0; k < mean.Length; k++)
        {
            mean[k] = BinaryPrimitives.ReadSingleLittleEndian(source[(HeaderBytes + (4 * k))..]);
            if (!float.IsFinite(mean[k]))
                throw new QuantizerFormatException($"RaBitQ quantizer: expected a finite number at byte {HeaderBytes + (4 * k)}, found {mean[k]}.");
        }

        byte[] signs = source[(HeaderBytes + (4 * mean.Length))..(length - 4)].ToArray();
        return new RaBitQuantizer((int)codeBytes, mean, new HadamardRotation(mean.Length, signs));
    }

    private static uint Field(ReadOnlySpan<byte> source, int offset) => BinaryPrimitives.ReadUInt32LittleEndian(source[offset..]);

    private static void Expect(ReadOnlySpan<byte> source, int offset, uint expected, string what)
    {
        uint found = Field(source, offset);
        if (found != expected)
            throw new QuantizerFormatException($"RaBitQ quantizer: expected {what} {expected} (0x{expected:x}) at byte {offset}, found {found} (0x{found:x}).");
    }
}

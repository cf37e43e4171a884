using System.Buffers.Binary;
using VectorPipe.Model;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Quantization;

/// <summary>A quantizer as one self-contained block of bytes, little-endian.</summary>
/// <remarks>
/// <code>
/// offset                 size              meaning
/// 0                      4                 magic "VPPQ"
/// 4                      4   u32           version: 1, or 2 with a rotation
/// 8                      4   u32           dimension D, 1 to 65,536
/// 12                     4   u32           code bytes (chunks) M, 1 to D
/// 16                     4   u32           centroids a chunk, 256
/// 20                     4(M+1)  u32       first component of each chunk, ascending from 0, then D
/// 24+4M                  4D      f32       mean
/// 24+4M+4D               1024D   f32       centroids: by chunk, within it by component, 256 each
/// 24+4M+1028D            4DD     f32       rotation R, row by row: a centred vector x is coded as x R; in version 2 alone
/// end-4                  4   u32           CRC-32C of all bytes before
/// </code>
/// </remarks>
internal static class QuantizerFormat
{
    private const uint Magic = 0x51505056, Plain = 1, Rotated = 2;
    private const int HeaderBytes = 20;

    /// <summary>Bytes of the block; with a rotation at most <see cref="Rotation.MaxDimension"/> components.</summary>
    public static int ByteLength(int dimension, int codeBytes, CodeKind kind) =>
        HeaderBytes + (4 * (codeBytes + 1))
        + (4 * dimension * (1 + Quantizer.CentroidsPerChunk + (kind == CodeKind.Opq ? dimension : 0))) + 4;

    /// <summary>Writes the block of a quantizer.</summary>
    public static byte[] ToBytes(Quantizer quantizer)
    {
        var bytes = new byte[ByteLength(quantizer.Dimension, quantizer.CodeBytes, quantizer.Kind)];
        uint version = quantizer.Rotation is null ? Plain : Rotated;
        ReadOnlySpan<uint> header =
            [Magic, version, (uint)quantizer.Dimension, (uint)quantizer.CodeBytes, Quantizer.CentroidsPerChunk];
        Span<byte> rest = bytes;
        foreach (uint field in header)
            rest = Append(rest, field);
        foreach (int offset in quantizer.ChunkOffsets)
            rest = Append(rest, (uint)offset);
        foreach (float value in quantizer.Mean)
            rest = Append(rest, BitConverter.SingleToUInt32Bits(value));
        foreach (float value in quantizer.Centroids)
            rest = Append(rest, BitConverter.SingleToUInt32Bits(value));
        foreach (float value in quantizer.Rotation is { } rotation ? rotation.Values : [])
            rest = Append(rest, BitConverter.SingleToUInt32Bits(value));
        Append(rest, Crc32C.Compute(bytes.AsSpan(..^4)));
        return bytes;
    }

    /// <summary>Checks a block, without making a quantizer of it.</summary>
    /// <exception cref="QuantizerFormatException">The bytes are not exactly one valid block.</exception>
    public static QuantizerShape Check(ReadOnlySpan<byte> source)
    {
        if (source.Length < HeaderBytes)
            throw new QuantizerFormatException($"Product quantizer: expected at least {HeaderBytes} bytes, found {source.Length}.");
        Expect(Field(source, 0), Magic, "magic number", 0);
        uint version = Field(source, 4);
        if (version is not (Plain or Rotated))
            throw new QuantizerFormatException($"Product quantizer: expected version {Plain} or {Rotated} at byte 4, found {version}.");
        uint dimension = Field(source, 8), codeBytes = Field(source, 12);
        int maxDimension = version == Plain ? Quantizer.MaxDimension : Rotation.MaxDimension;
        if (dimension < 1 || dimension > maxDimension)
            throw new QuantizerFormatException(
                $"Product quantizer: expected a dimension of 1 to {maxDimension} at byte 8, found {dimension}.");
        if (codeBytes < 1 || codeBytes > dimension)
            throw new QuantizerFormatException($"Product quantizer: expected 1 to {dimension} code bytes at byte 12, found {codeBytes}.");
        Expect(Field(source, 16), Quantizer.CentroidsPerChunk, "number of centroids", 16);
        int length = ByteLength((int)dimension, (int)codeBytes, version == Plain ? CodeKind.Pq : CodeKind.Opq);
        if (source.Length != length)
            throw new QuantizerFormatException($"Product quantizer: expected {length} bytes, found {source.Length}.");
        Expect(Field(source, length - 4), Crc32C.Compute(source[..(length - 4)]), "checksum", length - 4);

        CheckOffsets(source, (int)dimension, (int)codeBytes);
        for (int at = MeanOffset((int)codeBytes); at < length - 4; at += 4)
        {
            float value = BinaryPrimitives.ReadSingleLittleEndian(source[at..]);
            if (!float.IsFinite(value))
                throw new QuantizerFormatException($"Product quantizer: expected a finite number at byte {at}, found {value}.");
        }

        return new QuantizerShape((int)dimension, (int)codeBytes, version == Plain ? CodeKind.Pq : CodeKind.Opq);
    }

    /// <summary>Reads a block.</summary>
    /// <exception cref="QuantizerFormatException">The bytes are not exactly one valid block.</exception>
    public static Quantizer Read(ReadOnlySpan<byte> source)
    {
        (int dimension, int codeBytes, CodeKind kind) = Check(source);
        var offsets = new int[codeBytes + 1];
        for (int chunk = 0; chunk <= codeBytes; chunk++)
            offsets[chunk] = (int)Field(source, HeaderBytes + (4 * chunk));
        int at = MeanOffset(codeBytes);
        float[] mean = Floats(source, at, dimension);
        float[] centroids = Floats(source, at + (4 * dimension), dimension * Quantizer.CentroidsPerChunk);
        at += 4 * dimension * (1 + Quantizer.CentroidsPerChunk);
        Rotation? rotation = kind == CodeKind.Pq ? null : new Rotation(dimension, Floats(source, at, dimension * dimension));
        return new Quantizer(offsets, mean, centroids, rotation);
    }

    private static int MeanOffset(int codeBytes) => HeaderBytes + (4 * (codeBytes + 1));

    private static Span<byte> Append(Span<byte> destination, uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(destination, value);
        return destination[4..];
    }

    private static uint Field(ReadOnlySpan<byte> source, int offset) => BinaryPrimitives.ReadUInt32LittleEndian(source[offset..]);

    private static void Expect(uint found, uint expected, string what, int offset)
    {
        if (found != expected)
            throw new QuantizerFormatException(
                $"Product quantizer: expected {what} {expected} (0x{expected:x}) at byte {offset}, found {found} (0x{found:x}).");
    }

    private static void CheckOffsets(ReadOnlySpan<byte> source, int dimension, int codeBytes)
    {
        Expect(Field(source, HeaderBytes), 0, "first chunk offset", HeaderBytes);
        uint before = 0;
        for (int chunk = 1; chunk < codeBytes; chunk++)
        {
            // Each chunk, this one and those after it, has at least one component.
            int at = HeaderBytes + (4 * chunk), most = dimension - (codeBytes - chunk);
            uint offset = Field(source, at);
            if (offset <= before || offset > most)
                throw new QuantizerFormatException(
                    $"Product quantizer: expected a chunk offset of {before + 1} to {most} at byte {at}, found {offset}.");
            before = offset;
        }

        int end = HeaderBytes + (4 * codeBytes);
        Expect(Field(source, end), (uint)dimension, "last chunk offset", end);
    }

    private static float[] Floats(ReadOnlySpan<byte> source, int offset, int count)
    {
        var values = new float[count];
        for (int i = 0; i < count; i++)
            values[i] = BinaryPrimitives.ReadSingleLittleEndian(source[(offset + (4 * i))..]);
        return values;
    }
}

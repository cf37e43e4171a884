using System.Buffers.Binary;

namespace VectorPipe.Formats;

/// <summary>The header of fbin, u8bin, i8bin and ground-truth files: int32 count, int32 dimension.</summary>
internal static class BinHeader
{
    public const int Bytes = 8;

    /// <summary>Reads a header. The caller checks the file's length, because it depends on what follows the rows.</summary>
    /// <exception cref="VectorFormatException">Too short, a count or dimension below 1, or a dimension too large.</exception>
    public static RowLayout Parse(ReadOnlySpan<byte> head, string path, int elementBytes)
    {
        HeaderChecks.HeaderLength(path, head.Length, Bytes);
        long count = HeaderChecks.Count(path, 0, BinaryPrimitives.ReadInt32LittleEndian(head));
        int dimension = HeaderChecks.Dimension(path, 4, BinaryPrimitives.ReadInt32LittleEndian(head[4..]), elementBytes);
        return new RowLayout(dimension, elementBytes, count, Bytes, PrefixBytes: 0);
    }

    /// <summary>The header of a layout; its count must fit an int32.</summary>
    public static byte[] Encode(RowLayout layout)
    {
        byte[] header = new byte[Bytes];
        BinaryPrimitives.WriteInt32LittleEndian(header, checked((int)layout.Count));
        BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(4), layout.Dimension);
        return header;
    }
}

using System.Buffers.Binary;

namespace VectorPipe.Formats;

/// <summary>fvecs, bvecs and ivecs files have no header: the first row's prefix gives the dimension, the length gives the count.</summary>
internal static class VecsHeader
{
    public const int PrefixBytes = 4;

    /// <exception cref="VectorFormatException">A dimension out of range, or a length that is no whole number of rows.</exception>
    public static RowLayout Parse(ReadOnlySpan<byte> head, string path, int elementBytes, long fileLength)
    {
        HeaderChecks.HeaderLength(path, head.Length, PrefixBytes);
        int dimension = HeaderChecks.Dimension(path, 0, BinaryPrimitives.ReadInt32LittleEndian(head), elementBytes);
        var layout = new RowLayout(dimension, elementBytes, Count: 0, DataOffset: 0, PrefixBytes);
        (long count, long rest) = Math.DivRem(fileLength, layout.StoredRowBytes);
        if (rest != 0)
            throw new VectorFormatException(
                path, fileLength - rest, $"a whole number of {layout.StoredRowBytes}-byte rows (dimension {dimension})",
                $"{rest} bytes after row {count} (a truncated row or trailing bytes)");

        return layout with { Count = count };
    }
}

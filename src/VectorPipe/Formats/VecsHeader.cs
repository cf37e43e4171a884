using System.Buffers.Binary;

namespace VectorPipe.Formats;

/// <summary>
/// The layout of fvecs, bvecs and ivecs files, which have no header: the first row's prefix gives the dimension, the file's length
/// gives the count.
/// </summary>
internal static class VecsHeader
{
    /// <summary>Bytes of the int32 dimension before every row.</summary>
    public const int PrefixBytes = 4;

    /// <summary>Derives the layout from the first row's prefix and the file's length.</summary>
    /// <param name="head">The first bytes of the file.</param>
    /// <param name="path">The file, for errors.</param>
    /// <param name="elementBytes">Bytes of one component.</param>
    /// <param name="fileLength">Length of the file in bytes.</param>
    /// <exception cref="VectorFormatException">A dimension out of range, or a length that is no whole number of rows.</exception>
    public static RowLayout Parse(ReadOnlySpan<byte> head, string path, int elementBytes, long fileLength)
    {
        HeaderChecks.HeaderLength(path, head.Length, PrefixBytes);
        int dimension = HeaderChecks.Dimension(path, 0, BinaryPrimitives.ReadInt32LittleEndian(head), elementBytes);
        var layout = new RowLayout(dimension, elementBytes, Count: 0, DataOffset: 0, PrefixBytes);
        (long count, long rest) = Math.DivRem(fileLength, layout.StoredRowBytes);
        if (rest != 0)
        {
            throw new VectorFormatException(
                path,
                fileLength - rest,
                $"a whole number of {layout.StoredRowBytes}-byte rows (dimension {dimension})",
                $"{rest} bytes after row {count} (a truncated row or trailing bytes)");
        }

        return layout with { Count = count };
    }
}

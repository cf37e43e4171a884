using System.Buffers.Binary;

namespace VectorPipe.Importing;

/// <summary>DiskANN's container of every matrix: uint32 rows, uint32 columns, then the elements row by row.</summary>
internal static class DiskAnnMatrix
{
    public const int HeaderBytes = 8;

    /// <summary>Reads the header of a matrix that begins at <paramref name="offset"/> of its file.</summary>
    public static (uint Rows, uint Columns) Parse(ReadOnlySpan<byte> source, string path, long offset)
    {
        if (source.Length < HeaderBytes)
            throw new VectorFormatException(
                path, offset + source.Length, $"a header of {HeaderBytes} bytes", "the end of the file (truncated)");
        return (BinaryPrimitives.ReadUInt32LittleEndian(source), BinaryPrimitives.ReadUInt32LittleEndian(source[4..]));
    }

    /// <summary>Checks the shape of a matrix of one column at an offset of a file.</summary>
    public static void ExpectColumn(ReadOnlySpan<byte> file, string path, int offset, long rows, string what)
    {
        (uint found, uint columns) = Parse(file[offset..], path, offset);
        if (found != rows || columns != 1)
            throw new VectorFormatException(path, offset, $"{what} of {rows} x 1", $"{found} x {columns}");
    }
}

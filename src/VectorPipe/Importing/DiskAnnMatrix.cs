using System.Buffers.Binary;

namespace VectorPipe.Importing;

/// <summary>The container in which DiskANN keeps every matrix: uint32 rows, uint32 columns, then the elements row by row.</summary>
internal static class DiskAnnMatrix
{
    /// <summary>Bytes before the elements.</summary>
    public const int HeaderBytes = 8;

    /// <summary>Reads a header.</summary>
    /// <param name="source">The file's bytes from the matrix on.</param>
    /// <param name="path">The file, for errors.</param>
    /// <param name="offset">Bytes from the start of the file to the matrix.</param>
    /// <exception cref="VectorFormatException">The header is cut short.</exception>
    public static (uint Rows, uint Columns) Parse(ReadOnlySpan<byte> source, string path, long offset)
    {
        if (source.Length < HeaderBytes)
            throw new VectorFormatException(
                path, offset + source.Length, $"a header of {HeaderBytes} bytes", "the end of the file (truncated)");
        return (BinaryPrimitives.ReadUInt32LittleEndian(source), BinaryPrimitives.ReadUInt32LittleEndian(source[4..]));
    }

    /// <summary>Refuses a matrix of another shape.</summary>
    /// <exception cref="VectorFormatException">It has another.</exception>
    public static void Expect((uint Rows, uint Columns) shape, long rows, long columns, string path, long offset, string what)
    {
        if (shape.Rows != rows || shape.Columns != columns)
            throw new VectorFormatException(path, offset, $"{what} of {rows} x {columns}", $"{shape.Rows} x {shape.Columns}");
    }
}

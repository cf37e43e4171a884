namespace VectorPipe.Formats;

/// <summary>The checks of every header, made before its values decide about an allocation.</summary>
internal static class HeaderChecks
{
    /// <summary>Checks a dimension found at <paramref name="offset"/>: a row of it must fit an array.</summary>
    /// <exception cref="VectorFormatException">It is not in [1, <see cref="RowLayout.MaxDimension"/>].</exception>
    public static int Dimension(string path, long offset, long value, int elementBytes)
    {
        int max = RowLayout.MaxDimension(elementBytes);
        if (value < 1 || value > max)
            throw new VectorFormatException(path, offset, $"a dimension of 1 to {max}", $"{value}");
        return (int)value;
    }

    /// <summary>Checks a number of rows found at <paramref name="offset"/>.</summary>
    public static long Count(string path, long offset, long value)
    {
        if (value < 1)
            throw new VectorFormatException(path, offset, "at least 1 row", $"a count of {value}");
        return value;
    }

    /// <exception cref="VectorFormatException">The file is shorter than the header.</exception>
    public static void HeaderLength(string path, int available, int needed)
    {
        if (available < needed)
            throw new VectorFormatException(path, available, $"a header of {needed} bytes", "the end of the file (truncated)");
    }

    /// <summary>Checks that a file ends where its last row ends.</summary>
    /// <exception cref="VectorFormatException">It is truncated, or has trailing bytes.</exception>
    public static void FileLength(string path, RowLayout layout, long fileLength)
    {
        Int128 end = layout.EndOffset;
        if (fileLength == end)
            return;
        string expected = $"{end} bytes ({layout.Count} rows of {layout.StoredRowBytes} bytes after {layout.DataOffset} bytes of header)";
        if (fileLength < end)
            throw new VectorFormatException(path, fileLength, expected, $"the end of the file after {fileLength} bytes (truncated)");
        throw new VectorFormatException(path, (long)end, expected, $"{fileLength - (long)end} trailing bytes");
    }
}

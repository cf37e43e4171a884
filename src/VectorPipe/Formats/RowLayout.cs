namespace VectorPipe.Formats;

/// <summary>Where the rows of a file lie: all that is needed to read or write them, whatever the format.</summary>
/// <param name="Dimension">Components of a row, at least 1.</param>
/// <param name="ElementBytes">Bytes of one component.</param>
/// <param name="Count">Rows.</param>
/// <param name="DataOffset">Bytes from the start of the file to the first row (to its prefix, where there is one).</param>
/// <param name="PrefixBytes">Bytes before the values of every row: 4 where each row repeats its int32 dimension, else 0.</param>
internal readonly record struct RowLayout(int Dimension, int ElementBytes, long Count, long DataOffset, int PrefixBytes)
{
    /// <summary>Bytes of the values of one row; at most <see cref="Array.MaxLength"/>.</summary>
    public int RowBytes => Dimension * ElementBytes;

    /// <summary>Bytes of one row in the file, its prefix included.</summary>
    public long StoredRowBytes => PrefixBytes + (long)RowBytes;

    /// <summary>
    /// Length in bytes of a file that ends with the last row. Wide, since a hostile header can ask for more than a long holds.
    /// </summary>
    public Int128 EndOffset => DataOffset + ((Int128)Count * StoredRowBytes);

    /// <summary>The largest dimension whose rows still fit one array.</summary>
    public static int MaxDimension(int elementBytes) => Array.MaxLength / elementBytes;
}

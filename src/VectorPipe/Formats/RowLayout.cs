namespace VectorPipe.Formats;

/// <summary>The place of the rows in a file: all that is needed to read or write them in any format.</summary>
/// <param name="Dimension">Components of a row, at least 1.</param>
/// <param name="ElementBytes">Bytes of one component.</param>
/// <param name="Count">Rows.</param>
/// <param name="DataOffset">Offset of the first row, or of its prefix.</param>
/// <param name="PrefixBytes">Bytes before the values of every row: 4 for an int32 dimension, else 0.</param>
internal readonly record struct RowLayout(int Dimension, int ElementBytes, long Count, long DataOffset, int PrefixBytes)
{
    /// <summary>Bytes of the values of one row; at most <see cref="Array.MaxLength"/>.</summary>
    public int RowBytes => Dimension * ElementBytes;

    /// <summary>Bytes of one row in the file, its prefix included.</summary>
    public long StoredRowBytes => PrefixBytes + (long)RowBytes;

    /// <summary>Bytes of a file that ends with the last row; wide, because a hostile header can exceed a long.</summary>
    public Int128 EndOffset => DataOffset + ((Int128)Count * StoredRowBytes);

    /// <summary>The largest dimension whose rows fit an array.</summary>
    public static int MaxDimension(int elementBytes) => Array.MaxLength / elementBytes;
}

using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Formats;

/// <summary>The head of a vector file of any format.</summary>
/// <param name="Format">The file's format.</param>
/// <param name="ElementType">The type of a component.</param>
/// <param name="Rows">The place of the rows.</param>
internal readonly record struct VectorFileHeader(VectorFileFormat Format, VectorElementType ElementType, RowLayout Rows)
{
    /// <summary>Bytes that <see cref="Parse"/> needs, or all bytes of a shorter file.</summary>
    public static int HeadBytes(VectorFileFormat format) => format == VectorFileFormat.Npy ? NpyHeader.MaxBytes : BinHeader.Bytes;

    /// <summary>Reads the head of a file and checks it against the file's length.</summary>
    /// <exception cref="VectorFormatException">The head is malformed, or the length contradicts it.</exception>
    public static VectorFileHeader Parse(VectorFileFormat format, ReadOnlySpan<byte> head, string path, long fileLength)
    {
        RowLayout rows;
        if (format.FixedElementType() is not { } elementType)
            (elementType, rows) = NpyHeader.Parse(head, path);
        else if (format.HasRowPrefix())
            rows = VecsHeader.Parse(head, path, elementType.SizeInBytes(), fileLength);
        else
            rows = BinHeader.Parse(head, path, elementType.SizeInBytes());
        HeaderChecks.FileLength(path, rows, fileLength);
        return new VectorFileHeader(format, elementType, rows);
    }

    /// <summary>The header of a new file without vectors.</summary>
    /// <exception cref="VectorFormatException">The file's name implies another element type.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The element type is unknown, or the dimension not in [1,
    /// <see cref="RowLayout.MaxDimension"/>].</exception>
    public static VectorFileHeader Create(string path, VectorElementType elementType, int dimension)
    {
        VectorFileFormat format = VectorFileFormats.OfPath(path);
        int elementBytes = elementType.SizeInBytes();
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(dimension, RowLayout.MaxDimension(elementBytes));
        if (format.FixedElementType() is { } held && held != elementType)
            throw VectorFormatException.ForFile(path, $"elements of {held}, as the extension says", $"{elementType}");

        int prefixBytes = format.HasRowPrefix() ? VecsHeader.PrefixBytes : 0;
        var header = new VectorFileHeader(format, elementType, new RowLayout(dimension, elementBytes, 0, 0, prefixBytes));
        return header with { Rows = header.Rows with { DataOffset = header.Encode().Length } };
    }

    /// <summary>The bytes before the first row. Their number does not depend on the count.</summary>
    public byte[] Encode() => Format switch
    {
        VectorFileFormat.Npy => NpyHeader.Encode(ElementType, Rows),
        VectorFileFormat.Fvecs or VectorFileFormat.Bvecs => [],
        _ => BinHeader.Encode(Rows),
    };
}

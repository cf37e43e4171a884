using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Formats;

/// <summary>What the head of a vector file says, whatever its format.</summary>
/// <param name="Format">The file's format.</param>
/// <param name="ElementType">The type of a component.</param>
/// <param name="Rows">Where the rows lie.</param>
internal readonly record struct VectorFileHeader(VectorFileFormat Format, VectorElementType ElementType, RowLayout Rows)
{
    /// <summary>How much of a file's head <see cref="Parse"/> wants to see (less if the file is shorter).</summary>
    public static int HeadBytes(VectorFileFormat format) => format == VectorFileFormat.Npy ? NpyHeader.MaxBytes : BinHeader.Bytes;

    /// <summary>Reads the head of a file and checks it against the file's length.</summary>
    /// <exception cref="VectorFormatException">The head is malformed, or the length contradicts it.</exception>
    public static VectorFileHeader Parse(VectorFileFormat format, ReadOnlySpan<byte> head, string path, long fileLength)
    {
        VectorFileHeader header;
        if (format.FixedElementType() is not { } elementType)
        {
            (elementType, RowLayout rows) = NpyHeader.Parse(head, path);
            header = new VectorFileHeader(format, elementType, rows);
        }
        else if (format.HasRowPrefix())
        {
            header = new VectorFileHeader(format, elementType, VecsHeader.Parse(head, path, elementType.SizeInBytes(), fileLength));
        }
        else
        {
            header = new VectorFileHeader(format, elementType, BinHeader.Parse(head, path, elementType.SizeInBytes()));
        }

        HeaderChecks.FileLength(path, header.Rows, fileLength);
        return header;
    }

    /// <summary>The header of a file that is to hold vectors of this kind, so far none.</summary>
    /// <exception cref="VectorFormatException">The file's name stands for another element type.</exception>
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

namespace VectorPipe.Formats;

/// <summary>Properties of the vector file formats.</summary>
internal static class VectorFileFormats
{
    /// <summary>The format that a file's extension names, in any case.</summary>
    /// <exception cref="VectorFormatException">The extension names none.</exception>
    public static VectorFileFormat OfPath(string path)
    {
        string extension = Path.GetExtension(path);
        return extension.ToUpperInvariant() switch
        {
            ".FBIN" => VectorFileFormat.Fbin,
            ".U8BIN" => VectorFileFormat.U8bin,
            ".I8BIN" => VectorFileFormat.I8bin,
            ".FVECS" => VectorFileFormat.Fvecs,
            ".BVECS" => VectorFileFormat.Bvecs,
            ".NPY" => VectorFileFormat.Npy,
            _ => throw VectorFormatException.ForFile(
                path, "a file name that ends in .fbin, .u8bin, .i8bin, .fvecs, .bvecs or .npy", $"extension '{extension}'"),
        };
    }

    /// <summary>The one element type that a format holds; null if the file states it.</summary>
    public static VectorElementType? FixedElementType(this VectorFileFormat format) => format switch
    {
        VectorFileFormat.Fbin or VectorFileFormat.Fvecs => VectorElementType.Float32,
        VectorFileFormat.U8bin or VectorFileFormat.Bvecs => VectorElementType.UInt8,
        VectorFileFormat.I8bin => VectorElementType.Int8,
        _ => null,
    };

    /// <summary>Whether every row is preceded by its dimension.</summary>
    public static bool HasRowPrefix(this VectorFileFormat format) => format is VectorFileFormat.Fvecs or VectorFileFormat.Bvecs;

    /// <summary>The most rows that a format can count.</summary>
    public static long MaxCount(this VectorFileFormat format) =>
        format is VectorFileFormat.Fbin or VectorFileFormat.U8bin or VectorFileFormat.I8bin ? int.MaxValue : long.MaxValue;
}

namespace VectorPipe.Measuring.Data;

/// <summary>All vectors of a file, in memory. Immutable.</summary>
/// <param name="Bytes">The rows, one directly after the other.</param>
internal sealed record VectorMatrix(string Path, VectorElementType ElementType, int Dimension, int RowBytes, int Count, byte[] Bytes)
{
    public ReadOnlySpan<byte> Row(int row) => Bytes.AsSpan(row * RowBytes, RowBytes);

    /// <summary>The rows, repeated.</summary>
    public VectorMatrix Repeat(int times)
    {
        byte[] bytes = new byte[checked(times * Bytes.Length)];
        for (int i = 0; i < times; i++)
            Bytes.CopyTo(bytes, i * Bytes.Length);
        return this with { Count = checked(times * Count), Bytes = bytes };
    }

    /// <summary>Reads a file of at most 2 GB of vectors.</summary>
    public static async Task<VectorMatrix> LoadAsync(string option, string path, CancellationToken cancellationToken)
    {
        await using VectorSource vectors = await VectorSource.OpenFileAsync(path, cancellationToken);
        return await LoadAsync(option, path, vectors, cancellationToken);
    }

    /// <summary>Reads at most 2 GB of vectors from a source.</summary>
    /// <param name="path">The file behind it, for errors.</param>
    public static async Task<VectorMatrix> LoadAsync(
        string option, string path, VectorSource vectors, CancellationToken cancellationToken)
    {
        long rowBytes = (long)vectors.Dimension * BytesOf(vectors.ElementType);
        long bytes = vectors.Count * rowBytes;
        UsageException.Require(
            bytes <= Array.MaxLength, option, $"{bytes} bytes in '{path}'", $"at most {Array.MaxLength} bytes of vectors");
        var rows = new byte[bytes];
        var keys = new ulong[vectors.Count];
        int filled = 0;
        while (filled < keys.Length)
        {
            int read = await vectors.ReadAsync(rows.AsMemory((int)(filled * rowBytes)), keys.AsMemory(filled), cancellationToken);
            UsageException.Require(read > 0, option, $"{filled} in '{path}'", $"{keys.Length} vectors");
            filled += read;
        }

        return new VectorMatrix(path, vectors.ElementType, vectors.Dimension, (int)rowBytes, keys.Length, rows);
    }

    /// <summary>Bytes of a component.</summary>
    public static int BytesOf(VectorElementType type) => type switch
    {
        VectorElementType.Float32 => sizeof(float),
        VectorElementType.Float16 => sizeof(ushort),
        _ => 1,
    };

    /// <summary>Refuses vectors whose type or dimension differs from those of the base.</summary>
    public void RequireKind(string option, VectorElementType type, int dimension, string other) => UsageException.Require(
        ElementType == type && Dimension == dimension, option,
        $"{ElementType} of dimension {Dimension} in '{Path}'",
        $"vectors of {type} of dimension {dimension}, as in '{other}'");
}

using VectorPipe.Formats;

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
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path, cancellationToken);
        long bytes = reader.Count * reader.RowBytes;
        UsageException.Require(
            bytes <= Array.MaxLength, option, $"{bytes} bytes in '{path}'", $"at most {Array.MaxLength} bytes of vectors");
        var rows = new byte[bytes];
        int filled = 0;
        while (filled < rows.Length)
            filled += await reader.ReadAsync(rows.AsMemory(filled), cancellationToken) * reader.RowBytes;
        return new VectorMatrix(path, reader.ElementType, reader.Dimension, reader.RowBytes, (int)reader.Count, rows);
    }

    /// <summary>Refuses vectors whose type or dimension differs from those of the base.</summary>
    public void RequireKind(string option, VectorElementType type, int dimension, string other) => UsageException.Require(
        ElementType == type && Dimension == dimension, option,
        $"{ElementType} of dimension {Dimension} in '{Path}'",
        $"vectors of {type} of dimension {dimension}, as in '{other}'");
}

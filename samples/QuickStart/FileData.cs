using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe;
using VectorPipe.Formats;

namespace QuickStart;

/// <summary>Loads data from files.</summary>
internal static class FileData
{
    private const int MaxQueriesWithoutTruth = 1_000;

    /// <summary>Loads vectors, queries and, if there is a file of them, true neighbours.</summary>
    /// <exception cref="ArgumentException">The files do not match each other.</exception>
    /// <exception cref="VectorFormatException">A file is invalid.</exception>
    public static async Task<DataSet<T>> LoadAsync<T>(Arguments arguments, CancellationToken stop)
        where T : unmanaged
    {
        (T[] rows, int dimension) = await ReadAsync<T>(arguments.Base!, int.MaxValue, stop);
        uint[][]? neighbours = arguments.Truth is null ? null : await ReadTruthAsync(arguments.Truth, stop);
        (T[] queries, int queryDimension) = await ReadAsync<T>(arguments.Query!, neighbours?.Length ?? MaxQueriesWithoutTruth, stop);
        if (queryDimension != dimension)
            throw new ArgumentException(
                $"{arguments.Query}: expected queries of dimension {dimension}, as {arguments.Base} has, found {queryDimension}.");
        return new DataSet<T>(Path.GetFileName(arguments.Base!), dimension, rows, queries, neighbours);
    }

    /// <summary>Reads a truth file: int32 queries, int32 k, then k uint32 row numbers per query; distances may follow.</summary>
    private static async Task<uint[][]> ReadTruthAsync(string path, CancellationToken stop)
    {
        byte[] file = await File.ReadAllBytesAsync(path, stop);
        int[] head = file.Length < 8 ? [0, 0] : MemoryMarshal.Cast<byte, int>(file.AsSpan(0, 8)).ToArray();
        (int count, int k) = (head[0], head[1]);
        if (count < 1 || k < Measurement.K || file.Length < 8 + (4L * count * k))
            throw new ArgumentException(
                $"{path}: expected a truth file with at least {Measurement.K} neighbours per query, found {count} x {k}.");
        uint[] ids = MemoryMarshal.Cast<byte, uint>(file.AsSpan(8, 4 * count * k)).ToArray();
        return [.. Enumerable.Range(0, count).Select(query => ids[(query * k)..((query + 1) * k)])];
    }

    private static async Task<(T[] Rows, int Dimension)> ReadAsync<T>(string path, int maxRows, CancellationToken stop)
        where T : unmanaged
    {
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path, stop);
        if (reader.ElementType != ElementTypeOf<T>())
            throw new ArgumentException($"{path}: expected {ElementTypeOf<T>()}, as in the base file, found {reader.ElementType}.");
        long count = Math.Min(reader.Count, maxRows);
        if (count * reader.Dimension > Array.MaxLength)
            throw new ArgumentException(
                $"{path}: expected at most {Array.MaxLength} components for this sample, found {count * reader.Dimension}.");

        int rowBytes = reader.Dimension * Unsafe.SizeOf<T>();
        var rows = new T[count * reader.Dimension];
        byte[] piece = new byte[Math.Max(1, (1 << 20) / rowBytes) * rowBytes];
        for (long filled = 0; filled < count;)
        {
            int read = (int)Math.Min(await reader.ReadAsync(piece, stop), count - filled);
            piece.AsSpan(0, read * rowBytes).CopyTo(MemoryMarshal.AsBytes(rows.AsSpan((int)(filled * reader.Dimension))));
            filled += read;
        }

        return (rows, reader.Dimension);
    }

    private static VectorElementType ElementTypeOf<T>() => default(T) switch
    {
        float => VectorElementType.Float32,
        Half => VectorElementType.Float16,
        byte => VectorElementType.UInt8,
        sbyte => VectorElementType.Int8,
        _ => throw new NotSupportedException($"Expected float, Half, byte or sbyte, found {typeof(T)}."),
    };
}

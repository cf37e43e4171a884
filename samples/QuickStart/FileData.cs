using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Formats;
using VectorPipe.Numerics;

namespace QuickStart;

/// <summary>Data from files.</summary>
internal static class FileData
{
    private const int MaxQueriesWithoutTruth = 1_000;

    /// <summary>Loads vectors, queries and, if there are any, true neighbours.</summary>
    /// <exception cref="ArgumentException">The files do not belong together.</exception>
    /// <exception cref="VectorFormatException">A file is not what its name says.</exception>
    public static async Task<DataSet<T>> LoadAsync<T>(Arguments arguments, CancellationToken stop)
        where T : unmanaged
    {
        (T[] rows, int dimension) = await ReadAsync<T>(arguments.Base!, int.MaxValue, stop);
        GroundTruth? truth = arguments.Truth is null ? null : await GroundTruth.LoadAsync(arguments.Truth, stop);
        if (truth is not null && truth.K < Measurement.K)
            throw new ArgumentException($"{arguments.Truth}: expected at least {Measurement.K} neighbours a query, found {truth.K}.");

        (T[] queries, int queryDimension) = await ReadAsync<T>(arguments.Query!, truth?.Count ?? MaxQueriesWithoutTruth, stop);
        if (queryDimension != dimension)
            throw new ArgumentException($"{arguments.Query}: expected queries of dimension {dimension}, as {arguments.Base} has, found {queryDimension}.");
        uint[][]? neighbours = truth is null
            ? null
            : [.. Enumerable.Range(0, queries.Length / dimension).Select(query => truth.Ids(query).ToArray())];
        return new DataSet<T>(Path.GetFileName(arguments.Base!), dimension, rows, queries, neighbours);
    }

    private static async Task<(T[] Rows, int Dimension)> ReadAsync<T>(string path, int maxRows, CancellationToken stop)
        where T : unmanaged
    {
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path, stop);
        if (reader.ElementType != ElementTypeOf<T>())
            throw new ArgumentException($"{path}: expected components {ElementTypeOf<T>()}, as the base file has, found {reader.ElementType}.");
        long count = Math.Min(reader.Count, maxRows);
        if (count * reader.Dimension > Array.MaxLength)
            throw new ArgumentException($"{path}: expected at most {Array.MaxLength} components for this sample, found {count * reader.Dimension}.");

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

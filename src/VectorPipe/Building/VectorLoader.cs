using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Writing;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building;

/// <summary>Loads the vectors of a source and refuses those that cannot be indexed.</summary>
internal static class VectorLoader
{
    private const int BlockBytes = 1 << 20;

    /// <summary>Reads the whole source, and returns the hash of vectors and keys; a fit examines every vector.</summary>
    /// <exception cref="InvalidVectorException">A vector or a key cannot be indexed, or the number of rows is not the announced
    /// one.</exception>
    public static async Task<ulong> LoadAsync(
        VectorSource source, PointTable points, PagedMemory? paging, HalfFit? fit, Action<long>? onRows,
        CancellationToken cancellationToken)
    {
        int blockRows = Math.Max(1, BlockBytes / points.VectorBytes);
        byte[] rows = new byte[blockRows * points.VectorBytes];
        ulong[] rowKeys = new ulong[blockRows];
        using var keys = new NativeBuffer((nuint)points.Count * sizeof(ulong));
        var hash = new ContentHash();
        int loaded = 0;
        while (true)
        {
            int read = await source.ReadAsync(rows, rowKeys, cancellationToken).ConfigureAwait(false);
            if (read == 0)
                break;
            if (read > points.Count - loaded)
                throw new InvalidVectorException($"Expected {points.Count} vectors, as the source announced, found more.");
            Take(points, paging, fit, loaded, rows, rowKeys.AsSpan(0, read), ref hash);
            rowKeys.AsSpan(0, read).CopyTo(Keys(keys)[loaded..]);
            loaded += read;
            onRows?.Invoke(loaded);
        }

        if (loaded != points.Count)
            throw new InvalidVectorException($"Expected {points.Count} vectors, as the source announced, found {loaded}.");
        RefuseDuplicates(Keys(keys), points, paging, cancellationToken);
        return hash.Value;
    }

    private static unsafe Span<ulong> Keys(NativeBuffer keys) => new(keys.Pointer, (int)(keys.Length / sizeof(ulong)));

    // Synchronous, since a lease is bound to a thread and a source may continue on any.
    private static void Take(
        PointTable points, PagedMemory? paging, HalfFit? fit, int first, byte[] rows, ReadOnlySpan<ulong> keys, ref ContentHash hash)
    {
        using PageLease lease = PageLease.Rent(paging);
        foreach ((int from, int count) in points.Batches(lease, first, keys.Length, CancellationToken.None))
        {
            for (int row = from; row < from + count; row++)
            {
                ReadOnlySpan<byte> vector = rows.AsSpan((row - first) * points.VectorBytes, points.VectorBytes);
                if (VectorConversion.FindDefect(points.Metric, points.Type, vector) is { } defect)
                    throw new InvalidVectorException(row, defect + ".");
                fit?.Add(vector);
                points.Set(row, vector, keys[row - first]);
                IndexContent.AddPoint(ref hash, vector, keys[row - first]);
            }
        }
    }

    private static void RefuseDuplicates(Span<ulong> keys, PointTable points, PagedMemory? paging, CancellationToken cancellationToken)
    {
        StoppableSort.Sort(keys, cancellationToken);
        for (int i = 1; i < keys.Length; i++)
        {
            if (keys[i] == keys[i - 1])
                ThrowDuplicate(keys[i], points, paging, cancellationToken);
        }
    }

    private static void ThrowDuplicate(ulong key, PointTable points, PagedMemory? paging, CancellationToken cancellationToken)
    {
        using PageLease lease = PageLease.Rent(paging);
        int firstRow = -1;
        foreach ((int first, int count) in points.Batches(lease, cancellationToken))
        {
            for (int row = first; row < first + count; row++)
            {
                if (points.Key(row) != key)
                    continue;
                if (firstRow >= 0)
                    throw new InvalidVectorException(row, $"expected a key of its own, found key {key}, which row {firstRow} has too.");
                firstRow = row;
            }
        }
    }
}

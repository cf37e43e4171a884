using VectorPipe.Devices;
using VectorPipe.Numerics;

namespace VectorPipe;

/// <summary>Takes the vectors of a source into memory and refuses those that cannot be indexed.</summary>
internal static class VectorLoader
{
    private const int BlockBytes = 1 << 20;

    /// <summary>Reads the whole source.</summary>
    /// <exception cref="InvalidVectorException">A vector or a key cannot be indexed, or the source delivered another number of rows than it announced.</exception>
    public static async Task LoadAsync(VectorSource source, DistanceMetric metric, NativeBuffer vectors, ulong[] keys, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        int vectorBytes = source.Dimension * source.ElementType.SizeInBytes();
        int blockRows = Math.Max(1, BlockBytes / vectorBytes);
        byte[] rows = new byte[blockRows * vectorBytes];
        ulong[] rowKeys = new ulong[blockRows];
        int loaded = 0;
        while (true)
        {
            int read = await source.ReadAsync(rows, rowKeys, cancellationToken).ConfigureAwait(false);
            if (read == 0)
                break;
            if (read > keys.Length - loaded)
                throw new InvalidVectorException($"Expected {keys.Length} vectors, as the source announced, found more.");
            for (int i = 0; i < read; i++)
            {
                if (VectorConversion.FindDefect(metric, source.ElementType, rows.AsSpan(i * vectorBytes, vectorBytes)) is { } defect)
                    throw new InvalidVectorException(loaded + i, defect + ".");
            }

            rows.AsSpan(0, read * vectorBytes).CopyTo(vectors.Span((nuint)loaded * (nuint)vectorBytes, read * vectorBytes));
            rowKeys.AsSpan(0, read).CopyTo(keys.AsSpan(loaded));
            loaded += read;
            progress?.Report(new BuildProgress("read", loaded, keys.Length));
        }

        if (loaded != keys.Length)
            throw new InvalidVectorException($"Expected {keys.Length} vectors, as the source announced, found {loaded}.");
        RefuseDuplicates(keys);
    }

    private static void RefuseDuplicates(ulong[] keys)
    {
        int[] rows = new int[keys.Length];
        for (int i = 0; i < rows.Length; i++)
            rows[i] = i;
        ulong[] sorted = (ulong[])keys.Clone();
        Array.Sort(sorted, rows);
        for (int i = 1; i < sorted.Length; i++)
        {
            if (sorted[i] == sorted[i - 1])
                throw new InvalidVectorException(Math.Max(rows[i], rows[i - 1]), $"expected a key of its own, found key {sorted[i]}, which row {Math.Min(rows[i], rows[i - 1])} has too.");
        }
    }
}

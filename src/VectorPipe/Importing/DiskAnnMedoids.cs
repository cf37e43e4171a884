using System.Buffers.Binary;
using VectorPipe.Formats;

namespace VectorPipe.Importing;

/// <summary>The entry points of a DiskANN index that was merged from several, each with a centroid.</summary>
internal static class DiskAnnMedoids
{
    // One per part of a merged build: hundreds at most.
    private const int MaxMedoids = 65_536;

    /// <summary>Reads the ids of the entry points, and checks the number of their centroids if there are any.</summary>
    /// <returns>Ids of nodes; empty without such a file.</returns>
    /// <exception cref="VectorFormatException">A file is malformed, or an entry point is no node.</exception>
    public static async Task<uint[]> ReadAsync(DiskAnnFiles files, DiskAnnHeader header, CancellationToken cancellationToken)
    {
        if (!File.Exists(files.Medoids))
            return [];
        (uint rows, byte[] bytes) = await ReadMatrixAsync(files.Medoids, 1, MaxMedoids, "medoids", cancellationToken).ConfigureAwait(false);
        uint[] medoids = new uint[rows];
        for (int i = 0; i < medoids.Length; i++)
        {
            int at = DiskAnnMatrix.HeaderBytes + (4 * i);
            medoids[i] = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at));
            if (medoids[i] >= header.Count)
                throw new VectorFormatException(files.Medoids, at, $"a medoid below {header.Count}", $"{medoids[i]}");
        }

        if (File.Exists(files.Centroids))
        {
            (uint centroids, _) =
                await ReadMatrixAsync(files.Centroids, header.Dimension, MaxMedoids, "centroids", cancellationToken).ConfigureAwait(false);
            if (centroids != rows)
                throw new VectorFormatException(files.Centroids, 0, $"{rows} centroids, one per medoid", $"{centroids}");
        }

        return medoids;
    }

    /// <summary>Checks the header of a matrix of 4-byte elements against the file's length, and reads a matrix of one column.</summary>
    private static async Task<(uint Rows, byte[] Bytes)> ReadMatrixAsync(
        string path, int columns, int maxRows, string what, CancellationToken cancellationToken)
    {
        SourceFile file = SourceFile.Open(path);
        await using (file.ConfigureAwait(false))
        {
            byte[] head = await file.PeekAsync(DiskAnnMatrix.HeaderBytes, cancellationToken).ConfigureAwait(false);
            (uint rows, uint found) = DiskAnnMatrix.Parse(head, path, 0);
            if (rows < 1 || rows > maxRows || found != columns)
                throw new VectorFormatException(path, 0, $"{what} of 1 to {maxRows} rows x {columns}", $"{rows} x {found}");
            HeaderChecks.FileLength(path, new RowLayout(columns, 4, rows, DiskAnnMatrix.HeaderBytes, 0), file.Length);
            return (rows, columns > 1 ? head : await file.PeekAsync((int)file.Length, cancellationToken).ConfigureAwait(false));
        }
    }
}

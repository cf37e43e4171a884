using System.Buffers;
using System.Runtime.InteropServices;

namespace VectorPipe.Formats;

/// <summary>Loads ground-truth and ivecs files.</summary>
internal static class GroundTruthReader
{
    private const int ElementBytes = 4;
    private const int ChunkBytes = 64 * 1024;

    /// <summary>Loads a file; see <see cref="GroundTruth.LoadAsync"/>.</summary>
    public static async Task<GroundTruth> LoadAsync(string path, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        SourceFile file = SourceFile.Open(path);
        await using (file.ConfigureAwait(false))
        {
            byte[] head = await file.PeekAsync(BinHeader.Bytes, cancellationToken).ConfigureAwait(false);
            (RowLayout layout, bool hasDistances) = VectorFileFormats.IsIvecs(path)
                ? (VecsHeader.Parse(head, path, ElementBytes, file.Length), false)
                : ParseTruth(head, path, file.Length);
            int total = CheckTotal(path, layout);

            await file.SkipAsync(layout.DataOffset, cancellationToken).ConfigureAwait(false);
            uint[] ids = await ReadAsync<uint>(file, layout, total, cancellationToken).ConfigureAwait(false);
            RowLayout behind = layout with { DataOffset = (long)layout.EndOffset };
            float[] distances = hasDistances
                ? await ReadAsync<float>(file, behind, total, cancellationToken).ConfigureAwait(false)
                : [];
            return new GroundTruth((int)layout.Count, layout.Dimension, ids, distances);
        }
    }

    private static (RowLayout Layout, bool HasDistances) ParseTruth(ReadOnlySpan<byte> head, string path, long fileLength)
    {
        RowLayout layout = BinHeader.Parse(head, path, ElementBytes);
        Int128 idsOnly = layout.EndOffset;
        Int128 withDistances = idsOnly + (idsOnly - BinHeader.Bytes);
        if (fileLength != idsOnly && fileLength != withDistances)
        {
            throw new VectorFormatException(
                path,
                fileLength > idsOnly ? (long)idsOnly : fileLength,
                $"{idsOnly} bytes (ids) or {withDistances} bytes (ids and distances) of {layout.Count} queries with k = {layout.Dimension}",
                $"{fileLength} bytes (truncated, or trailing bytes)");
        }

        return (layout, fileLength == withDistances);
    }

    private static int CheckTotal(string path, RowLayout layout)
    {
        Int128 total = (Int128)layout.Count * layout.Dimension;
        if (total > Array.MaxLength)
            throw VectorFormatException.ForFile(path, $"at most {Array.MaxLength} ids in one ground truth", $"{total}");
        return (int)total;
    }

    /// <summary>Reads all rows of a section. The caller has checked that the file is long enough for what is allocated here.</summary>
    private static async Task<T[]> ReadAsync<T>(SourceFile file, RowLayout layout, int total, CancellationToken cancellationToken)
        where T : unmanaged
    {
        var values = new T[total];
        var pump = new RowPump(file.Pipe, file.Path, layout);
        byte[] chunk = ArrayPool<byte>.Shared.Rent(Math.Max(ChunkBytes, layout.RowBytes));
        try
        {
            int filled = 0;
            while (filled < total)
            {
                int rows = await pump.ReadAsync(chunk, cancellationToken).ConfigureAwait(false);
                int count = rows * layout.Dimension;
                MemoryMarshal.Cast<byte, T>(chunk.AsSpan(0, rows * layout.RowBytes)).CopyTo(values.AsSpan(filled, count));
                filled += count;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(chunk);
        }

        return values;
    }
}

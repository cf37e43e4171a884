using System.Buffers;
using System.Runtime.InteropServices;

namespace VectorPipe.Formats;

/// <summary>Saves ground-truth and ivecs files.</summary>
internal static class GroundTruthWriter
{
    private const int ElementBytes = 4;

    /// <summary>Saves a file; see <see cref="GroundTruth.SaveAsync"/>, which has checked the arguments.</summary>
    public static async Task SaveAsync(
        string path, int count, int k, ReadOnlyMemory<uint> ids, ReadOnlyMemory<float> distances, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(k, RowLayout.MaxDimension(ElementBytes));
        RowLayout layout = VectorFileFormats.IsIvecs(path)
            ? new RowLayout(k, ElementBytes, count, 0, VecsHeader.PrefixBytes)
            : new RowLayout(k, ElementBytes, count, BinHeader.Bytes, 0);
        byte[] head = layout.DataOffset == 0 ? [] : BinHeader.Encode(layout);

        StagedFile file = StagedFile.Create(path);
        await using (file.ConfigureAwait(false))
        {
            file.Pipe.Write(head);
            await WriteAsync(file, layout, ids, cancellationToken).ConfigureAwait(false);
            await WriteAsync(file, layout, distances, cancellationToken).ConfigureAwait(false);
            await file.CommitAsync(head, cancellationToken).ConfigureAwait(false);
        }
    }

    private static async Task WriteAsync<T>(StagedFile file, RowLayout layout, ReadOnlyMemory<T> rows, CancellationToken cancellationToken)
        where T : unmanaged
    {
        // A span of bytes is at most 2 GB, so the values are looked at as bytes a piece at a time.
        int piece = Math.Max(1, StagedFile.FlushBytes / layout.RowBytes) * layout.Dimension;
        while (!rows.IsEmpty)
        {
            ReadOnlyMemory<T> next = rows[..Math.Min(piece, rows.Length)];
            int taken = RowSink.Append(file.Pipe, layout, MemoryMarshal.AsBytes(next.Span)) / ElementBytes;
            rows = rows[taken..];
            await file.FlushIfFullAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}

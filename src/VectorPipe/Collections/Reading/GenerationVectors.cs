using VectorPipe.Collections.Generations;
using VectorPipe.Exporting;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Collections.Reading;

/// <summary>Reads the live vectors of a generation from front to back, as a rebuild and a scan need them.</summary>
internal static class GenerationVectors
{
    /// <summary>Reads batches. A scan is bound to its thread: enumerate on one.</summary>
    /// <param name="pinned">The view, leased: it says which records are live.</param>
    /// <param name="index">Directory of the generation.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A file cannot be read.</exception>
    public static IEnumerable<VectorBatch> Read(PinnedView pinned, string index, CancellationToken cancellationToken) =>
        pinned.View.Changes is { } changes
            ? ChangedVectors.Read(pinned, changes, cancellationToken)
            : ReadBuilt(pinned, index, cancellationToken);

    private static IEnumerable<VectorBatch> ReadBuilt(PinnedView pinned, string index, CancellationToken cancellationToken)
    {
        using ExportSource source = ExportSource.Open(index, openDevice: null, cancellationToken);
        try
        {
            using PageScan pages = source.OpenNodes();
            var batch = new ExportBatch(source);
            for (long done = 0; done < source.Schema.Count; done += batch.Keys.Length)
            {
                cancellationToken.ThrowIfCancellationRequested();
                batch.Fill(pages, null, cancellationToken);
                yield return LiveOf(pinned, batch, source.Schema.VectorBytes);
            }
        }
        finally
        {
            source.Originals?.EndReads();
        }
    }

    private static VectorBatch LiveOf(PinnedView pinned, ExportBatch batch, int rowBytes)
    {
        byte[] rows = new byte[batch.Vectors.Length];
        ulong[] handles = new ulong[batch.Keys.Length];
        int count = 0;
        for (int row = 0; row < handles.Length; row++)
        {
            ulong handle = batch.Keys.Span[row];
            if (pinned.Hides(handle))
                continue;
            batch.Vectors.Span.Slice(row * rowBytes, rowBytes).CopyTo(rows.AsSpan(count * rowBytes));
            handles[count++] = handle;
        }

        return new VectorBatch(rows.AsMemory(0, count * rowBytes), handles[..count]);
    }
}

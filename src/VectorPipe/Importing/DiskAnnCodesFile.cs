using VectorPipe.Formats;

namespace VectorPipe.Importing;

/// <summary>The codes of a DiskANN index, whose header was checked.</summary>
/// <param name="Path">The file.</param>
/// <param name="Rows">The codes: one row per node, one byte per chunk.</param>
internal sealed record DiskAnnCodesFile(string Path, RowLayout Rows)
{
    /// <summary>Checks a file's header against its length and the graph's header.</summary>
    /// <exception cref="VectorFormatException">The file is no matrix of bytes, has codes of another number of nodes, or codes longer than
    /// vectors.</exception>
    public static async Task<DiskAnnCodesFile> CheckAsync(string path, DiskAnnHeader header, CancellationToken cancellationToken)
    {
        SourceFile file = SourceFile.Open(path);
        await using (file.ConfigureAwait(false))
        {
            (uint rows, uint chunks) =
                DiskAnnMatrix.Parse(await file.PeekAsync(DiskAnnMatrix.HeaderBytes, cancellationToken).ConfigureAwait(false), path, 0);
            if (rows != header.Count)
                throw new VectorFormatException(path, 0, $"codes of {header.Count} nodes, as the disk index has", $"{rows}");
            if (chunks < 1 || chunks > header.Dimension)
                throw new VectorFormatException(path, 4, $"1 to {header.Dimension} chunks", $"{chunks}");
            var layout = new RowLayout((int)chunks, 1, rows, DiskAnnMatrix.HeaderBytes, 0);
            HeaderChecks.FileLength(path, layout, file.Length);
            return new DiskAnnCodesFile(path, layout);
        }
    }
}

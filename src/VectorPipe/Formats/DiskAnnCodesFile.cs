namespace VectorPipe.Formats;

/// <summary>Reads the codes of a DiskANN index from first to last.</summary>
/// <remarks>Not thread-safe: one read at a time.</remarks>
internal sealed class DiskAnnCodesReader : IAsyncDisposable
{
    private readonly SourceFile _file;
    private readonly RowPump _pump;

    private DiskAnnCodesReader(SourceFile file, RowLayout rows)
    {
        _file = file;
        Rows = rows;
        _pump = new RowPump(file.Pipe, file.Path, rows);
    }

    /// <summary>Path of the file, for errors.</summary>
    public string Path => _file.Path;

    /// <summary>The codes: a row a node, a byte a chunk.</summary>
    public RowLayout Rows { get; }

    /// <summary>Opens a file and checks its header against its length and the graph's header.</summary>
    /// <param name="path">The file.</param>
    /// <param name="header">What the graph says.</param>
    /// <param name="cancellationToken">Cancels opening.</param>
    /// <exception cref="VectorFormatException">The file is no matrix of bytes, has codes of another number of nodes, or codes longer than vectors.</exception>
    public static async Task<DiskAnnCodesReader> OpenAsync(string path, DiskAnnHeader header, CancellationToken cancellationToken)
    {
        SourceFile file = SourceFile.Open(path);
        try
        {
            (uint rows, uint chunks) = DiskAnnMatrix.Parse(await file.PeekAsync(DiskAnnMatrix.HeaderBytes, cancellationToken).ConfigureAwait(false), path, 0);
            if (rows != header.Count)
                throw new VectorFormatException(path, 0, $"codes of {header.Count} nodes, as the disk index has", $"{rows}");
            if (chunks < 1 || chunks > header.Dimension)
                throw new VectorFormatException(path, 4, $"1 to {header.Dimension} chunks", $"{chunks}");
            var layout = new RowLayout((int)chunks, 1, rows, DiskAnnMatrix.HeaderBytes, 0);
            HeaderChecks.FileLength(path, layout, file.Length);
            await file.SkipAsync(DiskAnnMatrix.HeaderBytes, cancellationToken).ConfigureAwait(false);
            return new DiskAnnCodesReader(file, layout);
        }
        catch
        {
            await file.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Fills a buffer with the next codes.</summary>
    /// <returns>How many; 0 at the end.</returns>
    /// <exception cref="VectorFormatException">The file was cut short meanwhile.</exception>
    public ValueTask<int> ReadAsync(Memory<byte> codes, CancellationToken cancellationToken) => _pump.ReadAsync(codes, cancellationToken);

    /// <summary>Closes the file.</summary>
    public ValueTask DisposeAsync() => _file.DisposeAsync();
}

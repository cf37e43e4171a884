namespace VectorPipe.Formats;

/// <summary>Reads the vectors of a file from first to last, with only a small part of it in memory.</summary>
/// <remarks>
/// Not thread-safe: one read at a time. Values are returned as stored: little-endian and unchecked (NaN included).
/// </remarks>
public sealed class VectorFileReader : IAsyncDisposable
{
    private readonly SourceFile _file;
    private readonly VectorFileHeader _header;
    private readonly RowPump _pump;
    private bool _disposed;

    private VectorFileReader(SourceFile file, VectorFileHeader header)
    {
        _file = file;
        _header = header;
        _pump = new RowPump(file.Pipe, file.Path, header.Rows);
    }

    /// <summary>The file's path as the caller wrote it.</summary>
    public string Path => _file.Path;

    /// <summary>The file's format, by its extension.</summary>
    internal VectorFileFormat Format => _header.Format;

    /// <summary>The type of a component.</summary>
    public VectorElementType ElementType => _header.ElementType;

    /// <summary>Components of a vector, at least 1.</summary>
    public int Dimension => _header.Rows.Dimension;

    /// <summary>Bytes of a vector.</summary>
    public int RowBytes => _header.Rows.RowBytes;

    /// <summary>Vectors in the file, at least 1.</summary>
    public long Count => _header.Rows.Count;

    /// <summary>Opens a file and checks its header against its length.</summary>
    /// <param name="path">A file whose extension names its format: .fbin, .u8bin, .i8bin, .fvecs, .bvecs or .npy, in any case.</param>
    /// <param name="ct">Cancels the opening.</param>
    /// <exception cref="VectorFormatException">The extension is unknown; or the file is empty, truncated, followed by trailing bytes,
    /// without vectors, or of an unsupported kind.</exception>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be read, or is a folder.</exception>
    public static async Task<VectorFileReader> OpenAsync(string path, CancellationToken ct = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ct.ThrowIfCancellationRequested();
        VectorFileFormat format = VectorFileFormats.OfPath(path);
        SourceFile file = SourceFile.Open(path);
        try
        {
            byte[] head = await file.PeekAsync(VectorFileHeader.HeadBytes(format), ct).ConfigureAwait(false);
            VectorFileHeader header = VectorFileHeader.Parse(format, head, path, file.Length);
            await file.SkipAsync(header.Rows.DataOffset, ct).ConfigureAwait(false);
            return new VectorFileReader(file, header);
        }
        catch
        {
            await file.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Fills a buffer with the next vectors, one directly after the other, without row prefixes.</summary>
    /// <param name="rows">Receives as many whole rows as fit; the bytes behind them do not change.</param>
    /// <param name="ct">Cancels the read.</param>
    /// <returns>How many rows were read; 0 at the end of the file.</returns>
    /// <exception cref="ArgumentException">The buffer is shorter than a row.</exception>
    /// <exception cref="VectorFormatException">A row's own dimension differs from the first row's, or the file was cut short
    /// meanwhile.</exception>
    /// <exception cref="InvalidOperationException">An earlier read failed or was cancelled midway (its rows are lost), or is still
    /// running.</exception>
    public ValueTask<int> ReadAsync(Memory<byte> rows, CancellationToken ct = default)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        return _pump.ReadAsync(rows, ct);
    }

    /// <summary>Closes the file.</summary>
    public ValueTask DisposeAsync()
    {
        if (_disposed)
            return ValueTask.CompletedTask;
        _disposed = true;
        return _file.DisposeAsync();
    }
}

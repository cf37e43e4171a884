using System.Buffers;

namespace VectorPipe.Formats;

/// <summary>
/// Writes vectors to a file in a format named by its extension. The file takes its name only in <see cref="CompleteAsync"/>: nothing
/// half-written ever bears it, and a file of that name stays as it is until then.
/// </summary>
/// <remarks>
/// Not thread-safe: one call at a time. Disposing without completing removes what was written. A process that is killed leaves a file
/// <c>.vectorpipe-*.tmp</c> in the folder, which may be deleted.
/// </remarks>
public sealed class VectorFileWriter : IAsyncDisposable
{
    private readonly StagedFile _file;
    private VectorFileHeader _header;
    private State _state;

    private VectorFileWriter(string path, StagedFile file, VectorFileHeader header)
    {
        Path = path;
        _file = file;
        _header = header;
        // A placeholder: the count is known, and written, at the end.
        _file.Pipe.Write(header.Encode());
    }

    private enum State
    {
        Open,
        Interrupted,
        Completed,
        Disposed,
    }

    /// <summary>The path of the file, as it was given.</summary>
    public string Path { get; }

    /// <summary>The file's format.</summary>
    internal VectorFileFormat Format => _header.Format;

    /// <summary>The type of a component.</summary>
    public VectorElementType ElementType => _header.ElementType;

    /// <summary>Components of a vector.</summary>
    public int Dimension => _header.Rows.Dimension;

    /// <summary>Bytes of a vector.</summary>
    public int RowBytes => _header.Rows.RowBytes;

    /// <summary>Vectors written so far.</summary>
    public long Count => _header.Rows.Count;

    /// <summary>Begins a file.</summary>
    /// <param name="path">The file to be; its extension names the format: .fbin, .u8bin, .i8bin, .fvecs, .bvecs or .npy, in any
    /// case.</param>
    /// <param name="elementType">The type of a component; must be the one that the extension stands for (.npy: any).</param>
    /// <param name="dimension">Components of a vector, at least 1.</param>
    /// <exception cref="VectorFormatException">The extension is unknown or stands for another element type.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The element type is unknown, or a row of the dimension is empty or exceeds 2
    /// GB.</exception>
    /// <exception cref="IOException">The path is that of a folder, or its folder does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder may not be written to.</exception>
    public static VectorFileWriter Create(string path, VectorElementType elementType, int dimension)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        VectorFileHeader header = VectorFileHeader.Create(path, elementType, dimension);
        return new VectorFileWriter(path, StagedFile.Create(path), header);
    }

    /// <summary>Appends vectors.</summary>
    /// <param name="rows">Whole rows, little-endian, one directly after the other; may be used again once the call has completed.</param>
    /// <param name="ct">Cancels the write; the file can then only be disposed.</param>
    /// <exception cref="ArgumentException">The bytes are no whole number of rows.</exception>
    /// <exception cref="VectorFormatException">More rows than the format can count.</exception>
    /// <exception cref="InvalidOperationException">The file is completed, or an earlier call failed, was cancelled, or is still
    /// running.</exception>
    public async ValueTask WriteAsync(ReadOnlyMemory<byte> rows, CancellationToken ct = default)
    {
        ThrowIfNotOpen();
        ct.ThrowIfCancellationRequested();
        RowLayout layout = _header.Rows;
        (int count, int rest) = Math.DivRem(rows.Length, layout.RowBytes);
        if (rest != 0)
            throw new ArgumentException($"Expected whole rows of {layout.RowBytes} bytes, found {rows.Length} bytes.", nameof(rows));
        if (count > Format.MaxCount() - layout.Count)
            throw VectorFormatException.ForFile(
                Path, $"at most {Format.MaxCount()} rows in this format", $"{layout.Count} and {count} more");

        _state = State.Interrupted;
        while (!rows.IsEmpty)
        {
            rows = rows[RowSink.Append(_file.Pipe, layout, rows.Span)..];
            await _file.FlushIfFullAsync(ct).ConfigureAwait(false);
        }

        _header = _header with { Rows = layout with { Count = layout.Count + count } };
        _state = State.Open;
    }

    /// <summary>Writes the count, forces the file to the medium and gives it its name, replacing a file that bears it.</summary>
    /// <param name="ct">Cancels the completion; the file can then only be disposed.</param>
    /// <exception cref="InvalidOperationException">
    /// There are no vectors; or the file is completed, or an earlier call failed, was cancelled, or is still running.
    /// </exception>
    public async Task CompleteAsync(CancellationToken ct = default)
    {
        StagedFile file = await FinishAsync(ct).ConfigureAwait(false);
        StagedFile.PublishAll([file]);
        _state = State.Completed;
    }

    /// <summary>Writes the count and forces the file to the medium. The caller publishes it before the writer is disposed.</summary>
    internal async Task<StagedFile> FinishAsync(CancellationToken ct)
    {
        ThrowIfNotOpen();
        ct.ThrowIfCancellationRequested();
        if (Count == 0)
            throw new InvalidOperationException($"'{Path}': expected at least one vector before completion, found none.");
        _state = State.Interrupted;
        await _file.FinishAsync(_header.Encode(), ct).ConfigureAwait(false);
        return _file;
    }

    /// <summary>Closes the file; if it was not completed, removes it.</summary>
    public ValueTask DisposeAsync()
    {
        _state = State.Disposed;
        return _file.DisposeAsync();
    }

    private void ThrowIfNotOpen()
    {
        ObjectDisposedException.ThrowIf(_state == State.Disposed, this);
        if (_state == State.Completed)
            throw new InvalidOperationException($"'{Path}' is completed.");
        if (_state == State.Interrupted)
            throw new InvalidOperationException($"'{Path}': an earlier call failed, was cancelled, or is still running.");
    }
}

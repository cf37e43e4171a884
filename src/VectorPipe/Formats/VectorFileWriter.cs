using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace VectorPipe.Formats;

/// <summary>Writes vectors to a file; its extension names the format, and <see cref="CompleteAsync"/> gives it its name.</summary>
/// <remarks>
/// Not thread-safe: one call at a time. Until completion, a file that already has the name stays unchanged. Disposal without completion
/// removes the written bytes. A killed process leaves a file <c>.vectorpipe-*.tmp</c> in the folder, which may be deleted.
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
        // A placeholder: completion writes the count.
        _file.Pipe.Write(header.Encode());
    }

    private enum State
    {
        Open,
        Interrupted,
        Completed,
        Disposed,
    }

    /// <summary>The file's path as the caller wrote it.</summary>
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
    /// <param name="path">The file to write; its extension names the format: .fbin, .u8bin, .i8bin, .fvecs, .bvecs or .npy, in any
    /// case.</param>
    /// <param name="elementType">The type of a component; must agree with the extension (.npy: any).</param>
    /// <param name="dimension">Components of a vector, at least 1.</param>
    /// <exception cref="VectorFormatException">The extension is unknown or implies another element type.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The element type is unknown, or a row is empty or exceeds 2 GB.</exception>
    /// <exception cref="IOException">The path is a folder's, or its folder does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder may not be written to.</exception>
    public static VectorFileWriter Create(string path, VectorElementType elementType, int dimension)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        VectorFileHeader header = VectorFileHeader.Create(path, elementType, dimension);
        return new VectorFileWriter(path, StagedFile.Create(path), header);
    }

    /// <summary>Appends vectors.</summary>
    /// <param name="rows">Whole rows, little-endian, one directly after the other; may be reused after the call has completed.</param>
    /// <param name="ct">Cancels the write; the file can then only be disposed.</param>
    /// <exception cref="ArgumentException">The bytes are not a whole number of rows.</exception>
    /// <exception cref="VectorFormatException">The file would have more rows than the format can count.</exception>
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
            rows = rows[Append(layout, rows.Span)..];
            await _file.FlushIfFullAsync(ct).ConfigureAwait(false);
        }

        _header = _header with { Rows = layout with { Count = layout.Count + count } };
        _state = State.Open;
    }

    /// <summary>Writes the count, forces the file to the medium, and gives it its name, replacing a file of that name.</summary>
    /// <param name="ct">Cancels the completion; the file can then only be disposed.</param>
    /// <exception cref="InvalidOperationException">There are no vectors; or the file is completed, or an earlier call failed, was
    /// cancelled, or is still running.</exception>
    public async Task CompleteAsync(CancellationToken ct = default)
    {
        StagedFile file = await FinishAsync(ct).ConfigureAwait(false);
        StagedFile.PublishAll([file]);
        _state = State.Completed;
    }

    /// <summary>Writes the count and forces the file to the medium. The caller publishes it before it disposes the writer.</summary>
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

    /// <summary>Closes the file, and removes it if it was not completed.</summary>
    public ValueTask DisposeAsync()
    {
        _state = State.Disposed;
        return _file.DisposeAsync();
    }

    /// <summary>Appends at least one row, until the pipe is worth a flush, and returns the bytes of the appended rows.</summary>
    private int Append(RowLayout layout, ReadOnlySpan<byte> rows)
    {
        PipeWriter pipe = _file.Pipe;
        if (layout.PrefixBytes == 0)
        {
            int fitting = Math.Max(1, StagedFile.FlushBytes / layout.RowBytes) * layout.RowBytes;
            rows = rows[..Math.Min(rows.Length, fitting)];
            pipe.Write(rows);
            return rows.Length;
        }

        int taken = 0;
        do
        {
            BinaryPrimitives.WriteInt32LittleEndian(pipe.GetSpan(layout.PrefixBytes), layout.Dimension);
            pipe.Advance(layout.PrefixBytes);
            pipe.Write(rows.Slice(taken, layout.RowBytes));
            taken += layout.RowBytes;
        }
        while (taken < rows.Length && pipe.UnflushedBytes < StagedFile.FlushBytes);
        return taken;
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

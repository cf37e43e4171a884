using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Numerics;

namespace VectorPipe.Storage;

/// <summary>Writes a temporary file from front to back: in large pieces, one of which is on its way to the disk while the next is filled.</summary>
/// <remarks>Not thread-safe. The file is not synced: it does not outlive the build. Whoever names the file deletes it.</remarks>
internal sealed class ScratchWriter : IDisposable
{
    /// <summary>Bytes of memory that a writer takes.</summary>
    public const int MemoryBytes = 2 * PieceBytes;

    private const int PieceBytes = 4 * ScratchFormat.BlockBytes;

    private readonly IStorageIo _io;
    private readonly SafeFileHandle _handle;
    private readonly NativeBuffer _pieces = new(MemoryBytes);
    private readonly List<uint> _checksums = [];
    private readonly string _path;
    private Task? _writing;
    private int _piece;
    private int _fill;
    private long _flushed;
    private bool _disposed;

    /// <param name="path">File to create; must not exist.</param>
    /// <param name="reservedLength">Bytes of content to reserve room for, so that a full disk is known before the work; 0 for none.</param>
    /// <param name="io">Writes it.</param>
    /// <exception cref="IndexWriteException">The file cannot be created, or the disk has no room for it.</exception>
    public ScratchWriter(string path, long reservedLength, IStorageIo io)
    {
        _path = path;
        _io = io;
        try
        {
            _handle = io.Create(path, overwrite: false, reservedLength == 0 ? 0 : ScratchFormat.FileLength(reservedLength));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _pieces.Dispose();
            throw Failure(e);
        }
    }

    /// <summary>Bytes written so far.</summary>
    public long Length => _flushed + _fill;

    /// <summary>Appends bytes.</summary>
    /// <exception cref="IndexWriteException">A write failed.</exception>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            int take = Math.Min(bytes.Length, PieceBytes - _fill);
            bytes[..take].CopyTo(Piece()[_fill..]);
            bytes = bytes[take..];
            _fill += take;
            if (_fill == PieceBytes)
                Flush(PieceBytes);
        }
    }

    /// <summary>Writes what is left and the end of the file.</summary>
    /// <exception cref="IndexWriteException">A write failed.</exception>
    public void Complete()
    {
        long length = Length;
        if (_fill > 0)
        {
            int padded = (int)ScratchFormat.ToPages(_fill);
            Piece()[_fill..padded].Clear();
            Flush(padded);
        }

        Await();
        ReadOnlySpan<byte> table = MemoryMarshal.AsBytes(CollectionsMarshal.AsSpan(_checksums));
        long position = ScratchFormat.ToPages(length);
        WriteNow(table, position);
        Span<byte> trailer = _pieces.Span(0, ScratchFormat.PageBytes);
        ScratchFormat.WriteTrailer(trailer, length, Crc32C.Compute(table));
        WriteNow(trailer, position + ScratchFormat.ToPages(table.Length));
    }

    /// <summary>Closes the file, once no write is under way.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;

        // A failure was thrown where the write was waited for, or the file is being given up.
        _writing?.ContinueWith(static task => task.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default).Wait();
        _handle.Dispose();
        _pieces.Dispose();
    }

    private Span<byte> Piece() => _pieces.Span((nuint)(_piece * PieceBytes), PieceBytes);

    /// <summary>Sends the filled piece on its way and goes on with the other one.</summary>
    private void Flush(int bytes)
    {
        Debug.Assert(_fill > 0 && _fill <= bytes && bytes % ScratchFormat.PageBytes == 0, "only filled pieces are written, in whole pages");
        ReadOnlySpan<byte> piece = Piece()[.._fill];
        for (int start = 0; start < piece.Length; start += ScratchFormat.BlockBytes)
            _checksums.Add(Crc32C.Compute(piece[start..Math.Min(start + ScratchFormat.BlockBytes, piece.Length)]));
        Await();
        long position = _flushed;
        int number = _piece;
        _writing = Task.Run(() => _io.Write(_handle, _pieces.Span((nuint)(number * PieceBytes), bytes), position));
        _flushed += _fill;
        _fill = 0;
        _piece ^= 1;
    }

    private void Await()
    {
        Task? writing = _writing;
        _writing = null;
        try
        {
            writing?.GetAwaiter().GetResult();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Failure(e);
        }
    }

    private void WriteNow(ReadOnlySpan<byte> bytes, long position)
    {
        try
        {
            if (bytes.Length > 0)
                _io.Write(_handle, bytes, position);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Failure(e);
        }
    }

    private IndexWriteException Failure(Exception cause) => new($"Writing scratch file {_path} failed: {cause.Message}", cause);
}

using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>Writes a file from front to back past the page cache: one large piece while the caller fills the next.</summary>
/// <remarks>
/// <para>A build must not push the data of others out of the page cache (docs/decisions.md#direct-writes).</para>
/// <para>Not thread-safe: the caller fills the current piece, a pool thread only writes the other one. The caller composes bytes in
/// <see cref="Rest"/> and calls <see cref="Advance"/>, in multiples of <see cref="PageCodec.PageUnit"/>. After a failure every call throws
/// the same error, because several threads may take turns. Disposal before <see cref="Complete"/> leaves an incomplete file, which the
/// creator deletes.</para>
/// </remarks>
internal sealed class SequentialWriter : IDisposable
{
    private readonly string _path;
    private readonly long _reservedBytes;
    private readonly IStorageIo _io;
    private readonly SafeFileHandle _handle;
    private readonly NativeBuffer _pieces;
    private readonly int _pieceBytes;
    private Task? _writing;
    private ExceptionDispatchInfo? _failure;
    private int _piece;
    private int _fill;
    private long _sent;
    private bool _disposed;

    /// <param name="path">File to create; must not exist, unless as reserved room.</param>
    /// <param name="start">Offset of the first piece; the bytes before it are for <see cref="WriteAt"/>.</param>
    /// <param name="pieceBytes">Bytes of a piece; two of them are in memory.</param>
    /// <param name="reservedBytes">Room to reserve, so that a full disk is detected before the work; 0 for none.</param>
    /// <param name="io">Writes.</param>
    public SequentialWriter(string path, long start, int pieceBytes, long reservedBytes, IStorageIo io)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(pieceBytes, PageCodec.PageUnit);
        _path = path;
        _sent = start;
        _pieceBytes = pieceBytes;
        _reservedBytes = reservedBytes;
        _io = io;
        _pieces = new NativeBuffer(2 * (nuint)pieceBytes);
        try
        {
            _handle = io.Create(path, isReserved: false, reservedBytes, isDirect: true);
        }
        catch (Exception e)
        {
            _pieces.Dispose();
            if (e is IOException or UnauthorizedAccessException)
                throw Failure(e);
            throw;
        }

        AssertInvariants();
    }

    /// <summary>The free part of the current piece, never empty; contains bytes of earlier pieces.</summary>
    public Span<byte> Rest
    {
        get
        {
            _failure?.Throw();
            return _pieces.Span((nuint)(_piece * (long)_pieceBytes + _fill), _pieceBytes - _fill);
        }
    }

    /// <summary>Appends the first bytes of <see cref="Rest"/> to the file.</summary>
    public void Advance(int bytes)
    {
        _failure?.Throw();
        _fill += bytes;
        Debug.Assert(bytes >= 0 && _fill <= _pieceBytes, "the bytes lie in the rest");
        if (_fill == _pieceBytes)
            Send();
        AssertInvariants();
    }

    /// <summary>Appends bytes, padded with zeros to a whole page.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            Span<byte> rest = Rest;
            int take = Math.Min(bytes.Length, rest.Length);
            int padded = (take + PageCodec.PageUnit - 1) / PageCodec.PageUnit * PageCodec.PageUnit;
            bytes[..take].CopyTo(rest);
            rest[take..padded].Clear();
            bytes = bytes[take..];
            Advance(padded);
        }
    }

    /// <summary>Returns when everything so far is written.</summary>
    public void Flush()
    {
        Await();
        if (_fill == 0)
            return;
        WriteNow((nuint)(_piece * (long)_pieceBytes), _fill, _sent);
        _sent += _fill;
        _fill = 0;
        AssertInvariants();
    }

    /// <summary>Writes the first bytes of <see cref="Rest"/> at another offset, after a flush; they are not appended.</summary>
    public void WriteAt(long offset, int bytes)
    {
        Debug.Assert(_fill == 0 && _writing is null, "earlier bytes are written");
        Debug.Assert(bytes <= _pieceBytes, "the bytes lie in the rest");
        WriteNow((nuint)(_piece * (long)_pieceBytes), bytes, offset);
    }

    /// <summary>Writes the remaining bytes and ends the file there; room reserved beyond it returns to the disk.</summary>
    /// <param name="isDurable">Whether to return only when the file is on disk.</param>
    public void Complete(bool isDurable)
    {
        Flush();
        Try(() =>
        {
            _io.SetLength(_handle, _sent);
            if (isDurable)
                _io.Sync(_handle);
        });
    }

    /// <summary>Closes the file after the write in progress.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;

        // The wait for a write throws its failure; here the file is complete or given up.
        _writing?.ContinueWith(
            static task => task.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default).Wait();
        _handle.Dispose();
        _pieces.Dispose();
    }

    /// <summary>Starts the write of the full piece and continues with the other one.</summary>
    private void Send()
    {
        Await();
        long position = _sent;
        nuint start = (nuint)(_piece * (long)_pieceBytes);
        _writing = Task.Factory.StartNew(
            () => _io.Write(_handle, _pieces.Span(start, _pieceBytes), position), CancellationToken.None,
            TaskCreationOptions.DenyChildAttach, TaskScheduler.Current);
        _sent += _pieceBytes;
        _fill = 0;
        _piece ^= 1;
    }

    private void Await()
    {
        Task? writing = _writing;
        _writing = null;
        Try(() => writing?.GetAwaiter().GetResult());
    }

    private void WriteNow(nuint start, int bytes, long position) => Try(() => _io.Write(_handle, _pieces.Span(start, bytes), position));

    private void Try(Action action)
    {
        _failure?.Throw();
        try
        {
            action();
        }
        catch (Exception e)
        {
            _failure = ExceptionDispatchInfo.Capture(e is IOException or UnauthorizedAccessException ? Failure(e) : e);
            _failure.Throw();
        }
    }

    private IndexWriteException Failure(Exception cause)
    {
        string size = _reservedBytes > 0 ? $" ({_reservedBytes:N0} bytes)" : "";
        return new IndexWriteException($"Writing {_path}{size} failed: {cause.Message}", cause);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_fill >= 0 && _fill < _pieceBytes, "a full piece is sent at once");
        Debug.Assert(_sent % PageCodec.PageUnit == 0, "the offset of a direct write is a multiple of the page unit");
        Debug.Assert(_fill % PageCodec.PageUnit == 0 && _pieceBytes % PageCodec.PageUnit == 0, "so are its address and its length");
    }
}

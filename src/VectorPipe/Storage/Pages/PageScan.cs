using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>Reads and verifies the pages of a file from front to back, or piece by piece, in large reads ahead of its reader.</summary>
/// <remarks>
/// The device holds the file as its file 0. Bound to the thread that first reads; several threads may share the device and the pieces.
/// Memory: <see cref="MemoryBytes"/>, or nine pages if they are larger.
/// </remarks>
internal sealed class PageScan : IReadSource, IDisposable
{
    /// <summary>Bytes of memory of a scan of ordinary pages.</summary>
    public const int MemoryBytes = (MaxReads + 1) * ReadTarget;

    private const int MaxReads = 8;
    private const int ReadTarget = 1 << 18;

    private readonly string _path;
    private readonly FileEntry _entry;
    private readonly PageKind _kind;
    private readonly PieceCounter _pieces;
    private readonly PendingIoSession _session;
    private readonly ReadStream _stream;
    private long _next;
    private long _end;

    /// <summary>Prepares a scan of the pages of <paramref name="pieces"/>, in this order.</summary>
    public PageScan(IDevice device, string path, FileEntry entry, PageKind kind, PieceCounter pieces)
    {
        _path = path;
        _entry = entry;
        _kind = kind;
        _pieces = pieces;
        int together = Math.Max(1, ReadTarget / entry.PageSize);
        _session = new PendingIoSession(
            device, new PendingIoOptions { Capacity = MaxReads + 1, BufferBytes = together * entry.PageSize, SubmitEvery = 1 });
        _stream = new ReadStream(
            _session, this,
            new ReadStreamOptions { MaxReads = MaxReads, CombineLimit = together, StartsFull = true, ReadsFailedAlone = true });
    }

    /// <summary>Opens a file for a scan; null for the default device.</summary>
    public static IDevice Open(string path, DeviceOpener? openDevice = null) =>
        (openDevice ?? ((paths, options, logger) => DeviceFactory.Open(paths, options, logger)))(
            [path], DeviceOptions.Default, NullLogger.Instance);

    /// <summary>Reads the next page; valid until the next call. Its number is the buffer's state.</summary>
    /// <exception cref="IndexCorruptException">The page is damaged; the next call continues after it.</exception>
    /// <exception cref="DeviceException">The page cannot be read; the next call continues after it.</exception>
    public bool TryGetNext(out ReadBuffer page, CancellationToken cancellationToken) => _stream.TryGetNext(out page, cancellationToken);

    /// <summary>Continues with the pages from <paramref name="first"/> to before <paramref name="end"/>, then with the pieces.</summary>
    public void GoTo(long first, long end)
    {
        _stream.Reset(keepDistance: true);
        (_next, _end) = (first, end);
    }

    public ReadStep Next(out ReadRange range)
    {
        range = default;
        if (_next == _end && !_pieces.TryTake(out _next, out _end))
        {
            _next = _end;
            return ReadStep.End;
        }

        range = new ReadRange(0, _next * _entry.PageSize, _entry.PageSize, _next);
        _next++;
        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer) =>
        PageCodec.Verify(
            _path, buffer.Bytes, buffer.State == 0 ? PageKind.FileHeader : _kind,
            new PageIdentity(_entry.FileId, buffer.State, _entry.Generation));

    public Exception Explain(in ReadRange range, Exception error) =>
        new DeviceException($"{_path}, page {range.State}: {error.Message}", error);

    /// <summary>Ends the reads. On the thread that read.</summary>
    public void Dispose()
    {
        _stream.Dispose();
        _session.Dispose();
    }
}

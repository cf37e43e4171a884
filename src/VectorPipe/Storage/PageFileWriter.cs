using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;

namespace VectorPipe.Storage;

/// <summary>Writes a page file from front to back: pages are put together in a buffer, sealed, and written in large pieces.</summary>
/// <remarks>
/// Not thread-safe. Space is reserved when the file is created, so that a full disk is known before the work, not after. A writer
/// that is disposed before <see cref="Complete"/> leaves a file that no manifest names; whoever created it deletes it.
/// </remarks>
internal sealed class PageFileWriter : IDisposable
{
    private const int BufferTarget = 1 << 20;

    private readonly IStorageIo _io;
    private readonly SafeFileHandle _handle;
    private readonly NativeBuffer _buffer;
    private readonly string _path;
    private readonly FileRole _role;
    private readonly ulong _indexId;
    private readonly ulong _fileId;
    private readonly uint _generation;
    private readonly int _pageSize;
    private readonly long _pageCount;
    private readonly int _pagesPerBuffer;
    private long _next = 1;
    private long _bufferStart = 1;
    private bool _pageOpen;

    /// <param name="path">File to create; must not exist.</param>
    /// <param name="role">What the file is for.</param>
    /// <param name="indexId">Identity of the index.</param>
    /// <param name="generation">Generation that writes.</param>
    /// <param name="pageSize">Bytes of a page.</param>
    /// <param name="pageCount">Pages that will be written, the header included.</param>
    /// <param name="io">Writes.</param>
    /// <exception cref="IndexWriteException">The file cannot be created, or the disk has no room for it.</exception>
    public PageFileWriter(string path, FileRole role, ulong indexId, uint generation, int pageSize, long pageCount, IStorageIo io)
    {
        _io = io;
        _path = path;
        _role = role;
        _indexId = indexId;
        _generation = generation;
        _pageSize = pageSize;
        _pageCount = pageCount;
        _fileId = FileIds.OfFile(indexId, role, generation);
        _pagesPerBuffer = Math.Max(1, BufferTarget / pageSize);
        try
        {
            _handle = _io.Create(path, overwrite: false, pageSize * pageCount);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Failure(e);
        }

        _buffer = new NativeBuffer((nuint)_pagesPerBuffer * (nuint)pageSize);
    }

    /// <summary>The file as a manifest names it.</summary>
    public FileEntry Entry => new(_role, Path.GetFileName(_path), _fileId, _generation, _pageSize, _pageCount);

    /// <summary>A zeroed page to put together; <see cref="Seal"/> ends it.</summary>
    public Span<byte> BeginPage()
    {
        Debug.Assert(!_pageOpen, "one page at a time");
        if (_next >= _pageCount)
            throw new InvalidOperationException($"{_path}: expected {_pageCount} pages, as announced, found more.");
        if (_next - _bufferStart == _pagesPerBuffer)
            FlushBuffer();
        _pageOpen = true;
        Span<byte> page = Current();
        page.Clear();
        return page;
    }

    /// <summary>The page that was begun and not sealed yet.</summary>
    public Span<byte> OpenPage()
    {
        Debug.Assert(_pageOpen, "a page was begun");
        return Current();
    }

    /// <summary>Ends the page that was begun: header and checksum.</summary>
    public void Seal(PageKind kind, int items, int payloadLength)
    {
        Debug.Assert(_pageOpen, "a page was begun");
        PageCodec.Seal(Current(), kind, items, new PageIdentity(_fileId, _next, _generation), payloadLength);
        _pageOpen = false;
        _next++;
    }

    /// <summary>Writes what is left, then the header page, and returns once all of it is on disk.</summary>
    /// <param name="streamLength">Bytes of the stream for a stream file, else 0.</param>
    /// <exception cref="IndexWriteException">A write or the sync failed.</exception>
    public void Complete(long streamLength = 0)
    {
        if (_next != _pageCount)
            throw new InvalidOperationException($"{_path}: expected {_pageCount} pages, as announced, found {_next}.");
        FlushBuffer();
        Span<byte> page = _buffer.Span(0, _pageSize);
        page.Clear();
        new PageFileHeader(_role, _pageSize, _indexId, _pageCount, streamLength).Write(PageCodec.Payload(page));
        PageCodec.Seal(page, PageKind.FileHeader, 0, new PageIdentity(_fileId, 0, _generation), PageFileHeader.Size);
        Write(page, 0);
        try
        {
            _io.Sync(_handle);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Failure(e);
        }
    }

    /// <summary>Closes the file.</summary>
    public void Dispose()
    {
        _handle.Dispose();
        _buffer.Dispose();
    }

    private Span<byte> Current() => _buffer.Span((nuint)(_next - _bufferStart) * (nuint)_pageSize, _pageSize);

    private void FlushBuffer()
    {
        Write(_buffer.Span(0, checked((int)(_next - _bufferStart) * _pageSize)), _bufferStart * _pageSize);
        _bufferStart = _next;
    }

    private void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        try
        {
            _io.Write(_handle, bytes, offset);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Failure(e);
        }
    }

    private IndexWriteException Failure(Exception cause) => new($"Writing {_path} ({_pageSize * _pageCount:N0} bytes) failed: {cause.Message}", cause);
}

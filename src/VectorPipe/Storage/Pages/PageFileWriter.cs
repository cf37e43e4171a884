using System.Diagnostics;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>Writes a page file from front to back: the caller composes and seals one page after another.</summary>
/// <remarks>
/// Not thread-safe. The constructor reserves the space of announced pages, so a full disk is detected before the work. Disposal before
/// <see cref="Complete"/> leaves an incomplete file, which the creator deletes.
/// </remarks>
internal sealed class PageFileWriter : IDisposable
{
    private const int PieceTarget = 1 << 20;

    private readonly SequentialWriter _file;
    private readonly string _path;
    private readonly ulong _indexId;
    private readonly long? _announced;
    private long _next = 1;
    private bool _pageOpen;

    /// <param name="path">File to create.</param>
    /// <param name="role">The purpose of the file.</param>
    /// <param name="indexId">Identity from which that of the file is derived.</param>
    /// <param name="generation">Generation that writes.</param>
    /// <param name="pageSize">Bytes of a page.</param>
    /// <param name="pageCount">Pages, the header included; null for as many as come, without reserved space.</param>
    /// <param name="io">Writes.</param>
    public PageFileWriter(string path, FileRole role, ulong indexId, uint generation, int pageSize, long? pageCount, IStorageIo io)
    {
        _path = path;
        _indexId = indexId;
        _announced = pageCount;
        ulong fileId = FileIds.OfFile(indexId, role, generation);
        Entry = new FileEntry(role, Path.GetFileName(path), fileId, generation, pageSize, pageCount ?? 1);
        long pagesPerPiece = Math.Clamp(PieceTarget / pageSize, 1, pageCount ?? long.MaxValue);
        _file = new SequentialWriter(path, start: pageSize, (int)pagesPerPiece * pageSize, pageSize * (pageCount ?? 0), io);
    }

    /// <summary>The file as the manifest names it; a number of pages that was not announced is known when it is complete.</summary>
    public FileEntry Entry { get; private set; }

    /// <summary>Begins a zeroed page; <see cref="Seal"/> ends it.</summary>
    public Span<byte> BeginPage()
    {
        Debug.Assert(!_pageOpen, "one page at a time");
        if (_next >= _announced)
            throw new InvalidOperationException($"{_path}: expected {_announced} pages, as announced, found more.");
        _pageOpen = true;
        Span<byte> page = Current();
        page.Clear();
        return page;
    }

    /// <summary>The page that was begun and not sealed.</summary>
    public Span<byte> OpenPage()
    {
        Debug.Assert(_pageOpen, "a page was begun");
        return Current();
    }

    /// <summary>Ends the page: writes its header and checksum.</summary>
    public void Seal(PageKind kind, int items, int payloadLength)
    {
        Debug.Assert(_pageOpen, "a page was begun");
        PageCodec.Seal(Current(), kind, items, Identity(_next), payloadLength);
        _pageOpen = false;
        _next++;
        _file.Advance(Entry.PageSize);
    }

    /// <summary>Writes the remaining pages, then the header page, and returns when all of it is on disk.</summary>
    /// <param name="streamLength">Bytes of the stream for a stream file, else 0.</param>
    public void Complete(long streamLength = 0)
    {
        if (_announced is { } announced && _next != announced)
            throw new InvalidOperationException($"{_path}: expected {announced} pages, as announced, found {_next}.");
        Entry = Entry with { PageCount = _next };
        _file.Flush();
        Span<byte> page = Current();
        page.Clear();
        new PageFileHeader(Entry.Role, Entry.PageSize, _indexId, Entry.PageCount, streamLength).Write(PageCodec.Payload(page));
        PageCodec.Seal(page, PageKind.FileHeader, 0, Identity(0), PageFileHeader.Size);
        _file.WriteAt(0, Entry.PageSize);
        _file.Complete(isDurable: true);
    }

    /// <summary>Closes the file after the write in progress.</summary>
    public void Dispose() => _file.Dispose();

    private Span<byte> Current() => _file.Rest[..Entry.PageSize];

    private PageIdentity Identity(long page) => new(Entry.FileId, page, Entry.Generation);
}

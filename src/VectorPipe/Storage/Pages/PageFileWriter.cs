using System.Diagnostics;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>Writes a page file from front to back: the caller composes and seals one page after another.</summary>
/// <remarks>
/// Not thread-safe. The constructor reserves the space, so a full disk is detected before the work. Disposal before <see cref="Complete"/>
/// leaves an incomplete file, which the creator deletes.
/// </remarks>
internal sealed class PageFileWriter : IDisposable
{
    private const int PieceTarget = 1 << 20;

    private readonly SequentialWriter _file;
    private readonly string _path;
    private readonly ulong _indexId;
    private long _next = 1;
    private bool _pageOpen;

    public PageFileWriter(string path, FileRole role, ulong indexId, uint generation, int pageSize, long pageCount, IStorageIo io)
    {
        _path = path;
        _indexId = indexId;
        ulong fileId = FileIds.OfFile(indexId, role, generation);
        Entry = new FileEntry(role, Path.GetFileName(path), fileId, generation, pageSize, pageCount);
        long pagesPerPiece = Math.Clamp(PieceTarget / pageSize, 1, pageCount);
        _file = new SequentialWriter(path, start: pageSize, (int)pagesPerPiece * pageSize, pageSize * pageCount, io);
    }

    /// <summary>The file as the manifest names it.</summary>
    public FileEntry Entry { get; }

    /// <summary>Begins a zeroed page; <see cref="Seal"/> ends it.</summary>
    public Span<byte> BeginPage()
    {
        Debug.Assert(!_pageOpen, "one page at a time");
        if (_next >= Entry.PageCount)
            throw new InvalidOperationException($"{_path}: expected {Entry.PageCount} pages, as announced, found more.");
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
        if (_next != Entry.PageCount)
            throw new InvalidOperationException($"{_path}: expected {Entry.PageCount} pages, as announced, found {_next}.");
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

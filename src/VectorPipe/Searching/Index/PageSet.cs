using VectorPipe.Storage.Files;

namespace VectorPipe.Searching.Index;

/// <summary>The pages of one file of an index, as searches read and verify them: what a cache may hold.</summary>
/// <remarks>Immutable and shared by all threads.</remarks>
internal sealed unsafe class PageSet
{
    private readonly FileEntry _entry;
    private readonly PageVerifier _verify;

    /// <param name="file">Number of the file on the device.</param>
    /// <param name="entry">The file as the manifest names it.</param>
    /// <param name="path">Its path, for errors.</param>
    /// <param name="verify">Throws unless bytes are the page that was asked for.</param>
    public PageSet(int file, FileEntry entry, string path, PageVerifier verify)
    {
        File = file;
        Path = path;
        _entry = entry;
        _verify = verify;
    }

    /// <summary>Number of the file on the device.</summary>
    public int File { get; }

    /// <summary>Path of the file, for errors.</summary>
    public string Path { get; }

    /// <summary>Bytes of a page.</summary>
    public int PageSize => _entry.PageSize;

    /// <summary>Pages, the file's header not counted.</summary>
    public long Count => _entry.PageCount - 1;

    /// <summary>Bytes of the file.</summary>
    public long FileBytes => _entry.Length;

    /// <summary>Offset of a page in the file: page 0 of the file is its header.</summary>
    public long OffsetOf(uint page) => (page + 1L) * PageSize;

    /// <summary>Verifies a page that was read.</summary>
    /// <exception cref="IndexCorruptException">It is not the page that was asked for, unharmed.</exception>
    public void Verify(uint page, byte* bytes) => _verify(page, bytes);
}

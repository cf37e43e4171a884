namespace VectorPipe.Storage;

/// <summary>Reads and verifies vectors as they were given, one by one; those of a page at the cost of one read.</summary>
/// <remarks>Not thread-safe; open one reader a thread.</remarks>
internal sealed class GivenVectorReader : IDisposable
{
    private readonly PageFileReader _file;
    private readonly GivenVectorLayout _layout;
    private readonly long _count;
    private long _first = -1;
    private int _pages;

    /// <summary>Opens the file.</summary>
    /// <exception cref="IndexCorruptException">It is missing, of another length, another file, or its header page is damaged.</exception>
    public GivenVectorReader(string directory, FileEntry entry, Manifest manifest)
    {
        _layout = new GivenVectorLayout(manifest.Schema.ElementType, manifest.Schema.Dimension);
        _count = manifest.Schema.Count;
        _file = new PageFileReader(directory, entry, manifest.IndexId);
        if (entry.PageSize != _layout.PageSize || entry.PageCount != _layout.PageCount(_count))
        {
            string expected = $"expected {_layout.PageCount(_count)} pages of {_layout.PageSize} bytes, found {entry.PageCount} of {entry.PageSize}";
            _file.Dispose();
            throw new IndexCorruptException(Path.Combine(directory, entry.Name), expected);
        }
    }

    /// <summary>Opens the file of an index; null if it has none.</summary>
    public static GivenVectorReader? Open(string directory, Manifest manifest) =>
        manifest.VectorFile is { } entry ? new GivenVectorReader(directory, entry, manifest) : null;

    /// <summary>Reads the vector of a node.</summary>
    /// <param name="id">Internal id, below the number of nodes.</param>
    /// <param name="key">The node's key.</param>
    /// <param name="together">Whether the vectors that follow are wanted next, so that they are read with it.</param>
    /// <returns>The vector, valid until the next call.</returns>
    /// <exception cref="IndexCorruptException">The page is damaged, or holds another key.</exception>
    public ReadOnlySpan<byte> Read(long id, ulong key, bool together)
    {
        long number = _layout.PageOf(id);
        if (number < _first || number >= _first + _pages)
            Fetch(number, together ? (int)Math.Min(_file.MaxPages, _file.Entry.PageCount - number) : 1);
        var page = new GivenVectorPage(_file.LastRead.Slice((int)(number - _first) * _layout.PageSize, _layout.PageSize), _layout);
        int slot = _layout.SlotOf(id);
        if (page.Key(slot) != key)
            throw new IndexCorruptException(_file.FilePath, number, $"expected key {key} in slot {slot}, as node {id} has, found key {page.Key(slot)}");
        return page.Vector(slot);
    }

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();

    private void Fetch(long first, int count)
    {
        _pages = 0;
        ReadOnlySpan<byte> bytes = _file.ReadPages(first, count);
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<byte> page = bytes.Slice(i * _layout.PageSize, _layout.PageSize);
            PageCodec.Verify(_file.FilePath, page, PageKind.GivenVectors, _file.Identity(first + i));
            if (new GivenVectorPage(page, _layout).FindDefect(first + i, _count) is { } defect)
                throw new IndexCorruptException(_file.FilePath, first + i, defect);
        }

        _first = first;
        _pages = count;
    }
}

using VectorPipe.Devices;

namespace VectorPipe.Storage;

/// <summary>Reads and verifies vectors as they were given, one by one; those of a page at the cost of one read.</summary>
/// <remarks>Bound to the thread that first reads; open one reader a thread.</remarks>
internal sealed class GivenVectorReader : IDisposable
{
    private const long None = -1;

    private readonly PageFileReader _file;
    private readonly GivenVectorLayout _layout;
    private readonly long _count;
    private readonly IDevice? _device;
    private readonly PageRun? _run;
    private long _current = None;

    /// <summary>Opens the file.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="entry">The file as the manifest names it.</param>
    /// <param name="manifest">Of the index.</param>
    /// <param name="isInOrder">Whether vectors will be asked for in the order of their ids, so that those that follow are read ahead.</param>
    /// <param name="openDevice">Opens what reads ahead; null for the default device.</param>
    /// <exception cref="IndexCorruptException">The file is missing, of another length, another file, or its header page is damaged.</exception>
    /// <exception cref="DeviceException">The file cannot be opened.</exception>
    public GivenVectorReader(string directory, FileEntry entry, Manifest manifest, bool isInOrder, DeviceOpener? openDevice = null)
    {
        _layout = new GivenVectorLayout(manifest.Schema.ElementType, manifest.Schema.Dimension);
        _count = manifest.Schema.Count;
        _file = new PageFileReader(directory, entry, manifest.IndexId);
        try
        {
            if (entry.PageSize != _layout.PageSize || entry.PageCount != _layout.PageCount(_count))
                throw new IndexCorruptException(_file.FilePath, $"expected {_layout.PageCount(_count)} pages of {_layout.PageSize} bytes, found {entry.PageCount} of {entry.PageSize}");
            if (!isInOrder)
                return;
            _device = PageStream.Open(_file.FilePath, openDevice);
            _run = new PageRun(_device, _file.FilePath, entry, PageKind.GivenVectors, entry.PageCount);
        }
        catch
        {
            _file.Dispose();
            throw;
        }
    }

    /// <summary>Opens the file of an index; null if it has none.</summary>
    public static GivenVectorReader? Open(string directory, Manifest manifest, bool isInOrder, DeviceOpener? openDevice = null) =>
        manifest.VectorFile is { } entry ? new GivenVectorReader(directory, entry, manifest, isInOrder, openDevice) : null;

    /// <summary>Reads the vector of a node.</summary>
    /// <param name="id">Internal id, below the number of nodes.</param>
    /// <param name="key">The node's key.</param>
    /// <returns>The vector, valid until the next call.</returns>
    /// <exception cref="IndexCorruptException">The page is damaged, or holds another key.</exception>
    /// <exception cref="DeviceException">The page cannot be read.</exception>
    public ReadOnlySpan<byte> Read(long id, ulong key)
    {
        long number = _layout.PageOf(id);
        var page = new GivenVectorPage(_run is null ? ReadAlone(number) : _run.Read(number), _layout);
        if (number != _current && page.FindDefect(number, _count) is { } defect)
            throw new IndexCorruptException(_file.FilePath, number, defect);
        _current = number;
        int slot = _layout.SlotOf(id);
        if (page.Key(slot) != key)
            throw new IndexCorruptException(_file.FilePath, number, $"expected key {key} in slot {slot}, as node {id} has, found key {page.Key(slot)}");
        return page.Vector(slot);
    }

    /// <summary>Ends reads that are ahead. On the thread that read, unless that closes the file itself.</summary>
    public void EndReads() => _run?.Dispose();

    /// <summary>Closes the file.</summary>
    public void Dispose()
    {
        EndReads();
        _device?.Dispose();
        _file.Dispose();
    }

    private ReadOnlySpan<byte> ReadAlone(long number)
    {
        if (number == _current)
            return _file.LastRead[.._layout.PageSize];
        _current = None;
        ReadOnlySpan<byte> page = _file.ReadPages(number, 1);
        PageCodec.Verify(_file.FilePath, page, PageKind.GivenVectors, _file.Identity(number));
        return page;
    }
}

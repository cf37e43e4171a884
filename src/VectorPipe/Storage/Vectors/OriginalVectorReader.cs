using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Vectors;

/// <summary>Reads and verifies original vectors one by one; the vectors of a page cost one read.</summary>
/// <remarks>Bound to the thread that first reads; open one reader per thread.</remarks>
internal sealed class OriginalVectorReader : IDisposable
{
    private const long None = -1;

    private readonly PageFileReader _file;
    private readonly OriginalVectorLayout _layout;
    private readonly long _count;
    private readonly IndexSchema _schema;
    private readonly IDevice? _device;
    private readonly PageCursor? _cursor;
    private long _current = None;

    /// <param name="file">The file; taken over.</param>
    /// <param name="manifest">The index's manifest.</param>
    /// <param name="device">Reads ahead, for vectors in the order of their ids; null for any order.</param>
    /// <param name="ownsDevice">Whether the device is taken over, too.</param>
    /// <exception cref="IndexCorruptException">The file has another number of pages.</exception>
    public OriginalVectorReader(PageFileReader file, Manifest manifest, IDevice? device, bool ownsDevice)
    {
        _layout = new OriginalVectorLayout(manifest.Schema.ElementType, manifest.Schema.Dimension);
        _count = manifest.Schema.Count;
        _schema = manifest.Schema;
        _file = file;
        _device = ownsDevice ? device : null;
        try
        {
            _layout.RequirePages(file, _count);
        }
        catch
        {
            Dispose();
            throw;
        }

        if (device is not null)
            _cursor = new PageCursor(device, file.FilePath, file.Entry, PageKind.OriginalVectors, file.Entry.PageCount);
    }

    /// <summary>Opens the file of an index, to read it in the order of ids; null if it has none.</summary>
    /// <exception cref="IndexCorruptException">The file is missing or damaged, or another file.</exception>
    public static OriginalVectorReader? Open(string directory, Manifest manifest, DeviceOpener? openDevice = null)
    {
        if (manifest.VectorFile is not { } entry)
            return null;
        var file = new PageFileReader(directory, entry, manifest.IndexId);
        try
        {
            return new OriginalVectorReader(file, manifest, PageScan.Open(file.FilePath, openDevice), ownsDevice: true);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Reads the vector of a node with a certain key; valid until the next call.</summary>
    /// <exception cref="IndexCorruptException">The page is damaged, or holds another key.</exception>
    public ReadOnlySpan<byte> Read(long id, ulong key)
    {
        long position = _schema.PositionOf(id);
        long number = _layout.PageOf(position);
        var page = new OriginalVectorPage(_cursor is null ? ReadAlone(number) : _cursor.Read(number), _layout);
        if (number != _current && page.FindDefect(number, _count) is { } defect)
            throw new IndexCorruptException(_file.FilePath, number, defect);
        _current = number;
        int slot = _layout.SlotOf(position);
        if (page.Key(slot) != key)
            throw new IndexCorruptException(
                _file.FilePath, number, $"expected key {key} in slot {slot}, as node {id} has, found key {page.Key(slot)}");
        return page.Vector(slot);
    }

    /// <summary>Ends the reads ahead. On the thread that read, unless that thread disposes the reader.</summary>
    public void EndReads() => _cursor?.Dispose();

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
        return _file.ReadPage(number, PageKind.OriginalVectors);
    }
}

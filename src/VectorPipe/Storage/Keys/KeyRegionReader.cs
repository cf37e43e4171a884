using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Keys;

/// <summary>Reads and verifies the pages of a key directory one after another, as maintenance does.</summary>
/// <remarks>Reads first pages of chains many at once. Not thread-safe.</remarks>
internal sealed class KeyRegionReader : IDisposable
{
    private const int PagesTogether = 64;

    private readonly Reads _read;
    private readonly string _path;
    private readonly FileEntry _entry;
    private readonly KeyRegion _region;
    private readonly SafeFileHandle? _opened;
    private readonly byte[] _together = new byte[PagesTogether * PageCodec.PageUnit];
    private readonly byte[] _other = new byte[PageCodec.PageUnit];
    private long _first = -1;

    /// <summary>Opens the file for reads past the device.</summary>
    /// <param name="io">Reads.</param>
    /// <param name="path">The file.</param>
    /// <param name="entry">The file as the manifest of the index names it.</param>
    /// <param name="region">The directory.</param>
    public KeyRegionReader(IStorageIo io, string path, FileEntry entry, KeyRegion region)
        : this(ReadsOf(io, path, out SafeFileHandle opened), opened, path, entry, region)
    {
    }

    /// <summary>Reads through a device.</summary>
    /// <param name="file">Reads the file; stays open.</param>
    /// <param name="path">The file, for errors.</param>
    /// <param name="entry">The file as the manifest of the index names it.</param>
    /// <param name="region">The directory.</param>
    public KeyRegionReader(DeviceFileReader file, string path, FileEntry entry, KeyRegion region)
        : this(file.Read, opened: null, path, entry, region)
    {
    }

    private KeyRegionReader(Reads read, SafeFileHandle? opened, string path, FileEntry entry, KeyRegion region)
    {
        _read = read;
        _opened = opened;
        _path = path;
        _entry = entry;
        _region = region;
    }

    private delegate int Reads(Span<byte> target, long offset);

    /// <summary>A walk over all entries.</summary>
    /// <exception cref="IndexCorruptException">A page or an entry has a defect.</exception>
    /// <exception cref="DeviceException">A page cannot be read.</exception>
    public void Walk(KeyDirectoryWalk.EntrySink take, CancellationToken cancellationToken) =>
        new KeyDirectoryWalk(_path, _entry with { PageCount = _region.PageCount }, _region.Shape)
            .Run((number, isFirst, _) => Read(number, isFirst), take, cancellationToken);

    public void Dispose() => _opened?.Dispose();

    private static Reads ReadsOf(IStorageIo io, string path, out SafeFileHandle opened)
    {
        SafeFileHandle file = opened = io.OpenForReading(path);
        return (target, offset) => io.Read(file, target, offset);
    }

    private ReadOnlySpan<byte> Read(long number, bool isFirst)
    {
        Span<byte> page = isFirst ? ReadTogether(number) : _other;
        if (!isFirst)
            Fill(page, number);
        PageCodec.Verify(_path, page, PageKind.KeyBucket, new PageIdentity(_entry.FileId, number, _region.Generation));
        return page;
    }

    private Span<byte> ReadTogether(long number)
    {
        if (_first < 0 || number < _first || number >= _first + PagesTogether)
        {
            int pages = (int)Math.Min(PagesTogether, KeyDirectoryShape.FirstPage(_region.Shape.Buckets) - number);
            Fill(_together.AsSpan(0, pages * PageCodec.PageUnit), number);
            _first = number;
        }

        return _together.AsSpan((int)(number - _first) * PageCodec.PageUnit, PageCodec.PageUnit);
    }

    private void Fill(Span<byte> bytes, long number)
    {
        long offset = (_region.Offset + number) * PageCodec.PageUnit;
        try
        {
            for (int done = 0, read; done < bytes.Length; done += read)
            {
                read = _read(bytes[done..], offset + done);
                if (read == 0)
                    throw new IndexCorruptException(_path, number, "expected a page, found the end of the file");
            }
        }
        catch (Exception e) when (e is IOException or DeviceException)
        {
            throw new DeviceException($"{_path}, page {number}: {e.Message}", e);
        }
    }
}

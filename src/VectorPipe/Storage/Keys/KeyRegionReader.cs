using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Keys;

/// <summary>Reads and verifies the pages of a key directory past the device, as maintenance does.</summary>
/// <remarks>Reads first pages of chains many at once. Not thread-safe.</remarks>
internal sealed class KeyRegionReader : IDisposable
{
    private const int PagesTogether = 64;

    private readonly IStorageIo _io;
    private readonly string _path;
    private readonly FileEntry _entry;
    private readonly KeyRegion _region;
    private readonly SafeFileHandle _file;
    private readonly bool _ownsFile;
    private readonly byte[] _together = new byte[PagesTogether * PageCodec.PageUnit];
    private readonly byte[] _other = new byte[PageCodec.PageUnit];
    private long _first = -1;

    /// <param name="io">Reads.</param>
    /// <param name="path">The file.</param>
    /// <param name="entry">The file as the manifest of the index names it.</param>
    /// <param name="region">The directory.</param>
    /// <param name="file">The open file, which stays open; null to open it by its path.</param>
    public KeyRegionReader(IStorageIo io, string path, FileEntry entry, KeyRegion region, SafeFileHandle? file = null)
    {
        _io = io;
        _path = path;
        _entry = entry;
        _region = region;
        _file = file ?? io.OpenForReading(path);
        _ownsFile = file is null;
    }

    /// <summary>A walk over all entries.</summary>
    /// <exception cref="IndexCorruptException">A page or an entry has a defect.</exception>
    /// <exception cref="DeviceException">A page cannot be read.</exception>
    public void Walk(KeyDirectoryWalk.EntrySink take, CancellationToken cancellationToken) =>
        new KeyDirectoryWalk(_path, _entry with { PageCount = _region.PageCount }, _region.Shape)
            .Run((number, isFirst, _) => Read(number, isFirst), take, cancellationToken);

    public void Dispose()
    {
        if (_ownsFile)
            _file.Dispose();
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
                read = _io.Read(_file, bytes[done..], offset + done);
                if (read == 0)
                    throw new IndexCorruptException(_path, number, "expected a page, found the end of the file");
            }
        }
        catch (IOException e)
        {
            throw new DeviceException($"{_path}, page {number}: {e.Message}", e);
        }
    }
}

using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>Checks the header of a file, and reads the files that are loaded when an index is opened.</summary>
/// <remarks>
/// Blocking reads of up to a megabyte through the page cache, without read-ahead, if no device is given: faster than a
/// <see cref="PageScan"/> for files that were opened before (docs/decisions.md#opening). Not thread-safe; open one reader per thread.
/// </remarks>
internal sealed class PageFileReader : IDisposable
{
    private const int BufferTarget = 1 << 20;

    private readonly BlockingFile _file;
    private NativeBuffer? _buffer;

    /// <summary>Opens a file that a manifest names, and checks its header against the manifest.</summary>
    /// <exception cref="IndexCorruptException">The file is missing, has another length or identity, or its header is damaged.</exception>
    /// <exception cref="DeviceException">The file cannot be opened, or is no regular file.</exception>
    /// <param name="directory">The index directory.</param>
    /// <param name="entry">The file.</param>
    /// <param name="indexId">Identity of the index.</param>
    /// <param name="mayBeLonger">Whether pages may follow that were added later.</param>
    /// <param name="openDevice">Opens the device that reads the file; null to read it through the page cache.</param>
    public PageFileReader(
        string directory, FileEntry entry, ulong indexId, bool mayBeLonger = false, Func<IReadOnlyList<string>, IDevice>? openDevice = null)
        : this(Path.Combine(directory, entry.Name), entry, OpenFile(Path.Combine(directory, entry.Name), openDevice))
    {
        try
        {
            Header = ReadHeader(indexId, mayBeLonger);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    private PageFileReader(string path, FileEntry entry, BlockingFile file)
    {
        FilePath = path;
        Entry = entry;
        _file = file;
    }

    public string FilePath { get; }
    public FileEntry Entry { get; }

    /// <summary>The header of the file; agrees with <see cref="Entry"/>.</summary>
    public PageFileHeader Header { get; private init; }

    /// <summary>The most pages of a <see cref="ReadPages"/>.</summary>
    public int MaxPages => Math.Max(1, BufferTarget / Entry.PageSize);

    /// <summary>The buffer that <see cref="ReadPages"/> fills from its beginning.</summary>
    public ReadOnlySpan<byte> LastRead => Buffer.Span(0, (int)Buffer.Length);

    private NativeBuffer Buffer => _buffer ??= new NativeBuffer((nuint)(MaxPages * Entry.PageSize), isReused: true);

    /// <summary>Another reader of the same open file, for another thread; disposed before this one.</summary>
    public PageFileReader Share() => new(FilePath, Entry, _file.Share()) { Header = Header };

    /// <summary>Reads and verifies one page; valid until the next call.</summary>
    public ReadOnlySpan<byte> ReadPage(long number, PageKind kind)
    {
        ReadOnlySpan<byte> page = ReadPages(number, 1);
        PageCodec.Verify(FilePath, page, kind, Identity(number));
        return page;
    }

    /// <summary>Reads up to <see cref="MaxPages"/> pages without verifying them; valid until the next call.</summary>
    public ReadOnlySpan<byte> ReadPages(long first, int count)
    {
        Span<byte> target = Buffer.Span(0, count * Entry.PageSize);
        int done = 0;
        while (done < target.Length)
        {
            int read = _file.Read(target[done..], first * Entry.PageSize + done);
            if (read == 0)
                throw new IndexCorruptException(
                    FilePath, first + done / Entry.PageSize, $"expected a page of {Entry.PageSize} bytes, found the end of the file");
            done += read;
        }

        return target;
    }

    /// <summary>The identity that a page of this file must have.</summary>
    public PageIdentity Identity(long page) => new(Entry.FileId, page, Entry.Generation);

    /// <summary>Reads and verifies a whole stream file.</summary>
    /// <param name="destination">Receives the stream; has the expected length.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">The stream has another length, or a page is damaged.</exception>
    public void ReadAll(NativeBuffer destination, CancellationToken cancellationToken) =>
        ReadAll(destination, destination.Length, cancellationToken);

    /// <summary>Reads and verifies a whole stream file into the beginning of a buffer.</summary>
    /// <param name="destination">Receives the stream.</param>
    /// <param name="expected">Bytes that it must have; at most those of the buffer.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">The stream has another length, or a page is damaged.</exception>
    public unsafe void ReadAll(NativeBuffer destination, nuint expected, CancellationToken cancellationToken)
    {
        if ((nuint)Header.StreamLength != expected)
            throw new IndexCorruptException(FilePath, 0, $"expected a stream of {expected} bytes, found {Header.StreamLength}");
        nuint filled = 0;
        for (long first = 1; first < Entry.PageCount; first += MaxPages)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int count = (int)Math.Min(MaxPages, Entry.PageCount - first);
            ReadOnlySpan<byte> pages = ReadPages(first, count);
            for (int i = 0; i < count; i++)
            {
                ReadOnlySpan<byte> page = pages.Slice(i * Entry.PageSize, Entry.PageSize);
                PageCodec.Verify(FilePath, page, PageKind.Stream, Identity(first + i));
                int length = PageCodec.PayloadLength(page);
                if ((nuint)length > expected - filled)
                    throw new IndexCorruptException(
                        FilePath, first + i, $"expected at most {expected - filled} more stream bytes, found {length}");
                PageCodec.Payload(page)[..length].CopyTo(new Span<byte>(destination.Pointer + filled, length));
                filled += (nuint)length;
            }
        }

        if (filled != expected)
            throw new IndexCorruptException(FilePath, $"expected a stream of {expected} bytes, found {filled}");
    }

    public void Dispose()
    {
        _file.Dispose();
        FreeBuffer();
    }

    /// <summary>Gives the buffer back until the next read.</summary>
    public void FreeBuffer()
    {
        _buffer?.Dispose();
        _buffer = null;
    }

    private static BlockingFile OpenFile(string path, Func<IReadOnlyList<string>, IDevice>? openDevice)
    {
        try
        {
            return BlockingFile.Open(path, openDevice);
        }
        catch (FileNotFoundException e)
        {
            throw new IndexCorruptException($"{path}: expected the file that the manifest names, found none.", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"{path}: expected a file that can be read: {e.Message}", e);
        }
    }

    private PageFileHeader ReadHeader(ulong indexId, bool mayBeLonger)
    {
        long length = _file.Length;
        if (length != Entry.Length && !(mayBeLonger && length > Entry.Length))
            throw new IndexCorruptException(FilePath, $"expected {Entry.Length} bytes, found {length}");
        ReadOnlySpan<byte> page = ReadPages(0, 1);
        return PageFileHeader.Verify(FilePath, page, Entry, indexId);
    }
}

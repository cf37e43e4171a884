using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Records;

/// <summary>Reads pages of a file anywhere and verifies each. Thread-safe: reads run side by side and share nothing.</summary>
internal sealed class VerifiedPages : IDisposable
{
    private readonly IStorageIo _io;
    private readonly ulong _identity;
    private readonly PageKind _kind;
    private readonly SafeFileHandle _handle;
    private readonly RecordPageCache? _cache;

    /// <summary>Opens a file that a manifest names, and checks its header against the manifest.</summary>
    /// <param name="io">Reads.</param>
    /// <param name="directory">The directory of the file.</param>
    /// <param name="entry">The file as the manifest names it.</param>
    /// <param name="identity">Identity of what the file belongs to.</param>
    /// <param name="kind">Kind of all pages but the header.</param>
    /// <param name="cache">Keeps pages that are read one by one; null for none.</param>
    /// <exception cref="IndexCorruptException">The file is missing, has another length or identity, or its header is damaged.</exception>
    /// <exception cref="DeviceException">The file cannot be opened or read.</exception>
    public VerifiedPages(
        IStorageIo io, string directory, FileEntry entry, ulong identity, PageKind kind, RecordPageCache? cache = null)
    {
        _cache = entry.PageSize == PageCodec.PageUnit ? cache : null;
        FilePath = Path.Combine(directory, entry.Name);
        Entry = entry;
        _io = io;
        _identity = identity;
        _kind = kind;
        _handle = OpenFile();
        try
        {
            Header = ReadHeader();
        }
        catch
        {
            _handle.Dispose();
            throw;
        }
    }

    /// <summary>Path of the file, for errors.</summary>
    public string FilePath { get; }

    /// <summary>The file as the manifest names it.</summary>
    public FileEntry Entry { get; }

    /// <summary>The header of the file; agrees with <see cref="Entry"/>.</summary>
    public PageFileHeader Header { get; }

    /// <summary>Whether pages are kept that were read one by one.</summary>
    public bool HasCache => _cache is not null;

    /// <summary>Reads and verifies a page, or finds it in the cache.</summary>
    /// <param name="number">Its number, 1 or more.</param>
    /// <param name="buffer">Receives it if it is not in the cache; of the page size.</param>
    /// <returns>The page: in the cache, or in the buffer.</returns>
    /// <exception cref="IndexCorruptException">The page is damaged or missing.</exception>
    /// <exception cref="DeviceException">The read failed.</exception>
    public ReadOnlySpan<byte> ReadOne(long number, Span<byte> buffer)
    {
        ReadOnlySpan<byte> kept = _cache is null ? default : _cache.Find(this, number);
        if (!kept.IsEmpty)
            return kept;
        Read(number, buffer);
        _cache?.Keep(this, number, buffer);
        return buffer;
    }

    /// <summary>Has the system begin to read neighbouring pages that are not in the cache.</summary>
    public void BeginRead(long first, int count)
    {
        if (count > 1 || _cache is null || _cache.Find(this, first).IsEmpty)
            _io.BeginRead(_handle, first * Entry.PageSize, count * Entry.PageSize);
    }

    /// <summary>Reads and verifies neighbouring pages.</summary>
    /// <param name="first">Number of the first page, 1 or more.</param>
    /// <param name="target">Receives them; a multiple of the page size.</param>
    /// <exception cref="IndexCorruptException">A page is damaged or missing; the first such page is named.</exception>
    /// <exception cref="DeviceException">The read failed.</exception>
    public void Read(long first, Span<byte> target)
    {
        int whole = ReadBytes(first * Entry.PageSize, target) / Entry.PageSize * Entry.PageSize;
        for (int at = 0; at < whole; at += Entry.PageSize)
        {
            long number = first + (at / Entry.PageSize);
            PageCodec.Verify(FilePath, target.Slice(at, Entry.PageSize), _kind, new PageIdentity(Entry.FileId, number, Entry.Generation));
        }

        if (whole < target.Length)
            throw new IndexCorruptException(
                FilePath, first + (whole / Entry.PageSize), $"expected a page of {Entry.PageSize} bytes, found the end of the file");
    }

    /// <summary>Checks the length of the file and its header page.</summary>
    /// <exception cref="IndexCorruptException">One of them is not as the manifest states.</exception>
    /// <exception cref="DeviceException">The read failed.</exception>
    public PageFileHeader ReadHeader()
    {
        long length = RandomAccess.GetLength(_handle);
        if (length != Entry.Length)
            throw new IndexCorruptException(FilePath, $"expected {Entry.Length} bytes, found {length}");
        byte[] page = new byte[Entry.PageSize];
        ReadBytes(0, page);
        return PageFileHeader.Verify(FilePath, page, Entry, _identity);
    }

    /// <summary>Closes the file; a read at the same time may fail with <see cref="ObjectDisposedException"/>.</summary>
    public void Dispose() => _handle.Dispose();

    private SafeFileHandle OpenFile()
    {
        try
        {
            return _io.OpenForReading(FilePath);
        }
        catch (FileNotFoundException e)
        {
            throw new IndexCorruptException($"{FilePath}: expected the file that the manifest names, found none.", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"{FilePath}: expected a file that can be read: {e.Message}", e);
        }
    }

    /// <summary>Reads bytes and returns how many; fewer than there is room for only at the end of the file.</summary>
    private int ReadBytes(long offset, Span<byte> target)
    {
        int done = 0;
        try
        {
            while (done < target.Length && _io.Read(_handle, target[done..], offset + done) is var read and > 0)
                done += read;
            return done;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"{FilePath}, page {(offset + done) / Entry.PageSize}: {e.Message}", e);
        }
    }
}

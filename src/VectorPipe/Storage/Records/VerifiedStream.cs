using System.Buffers;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Records;

/// <summary>Reads a stream file at any offset, over verified pages. Thread-safe.</summary>
internal sealed class VerifiedStream : IDisposable
{
    /// <summary>Bytes of the stream in as many pages as one read takes.</summary>
    public const int ReadBytes = PagesPerRead * PagedStreamWriter.PayloadSize;

    // 256 KiB: nearly all that is asked for comes in one read, and a scan is sequential for the disk.
    private const int PagesPerRead = 64;

    // A record of few pages is nearly all of its pages' bytes, or shares them with its neighbours: they are worth their places.
    private const int MostKept = 4;

    private readonly VerifiedPages _pages;

    /// <summary>Opens a file that a manifest names.</summary>
    /// <param name="io">Reads.</param>
    /// <param name="directory">The directory of the file.</param>
    /// <param name="entry">The file as the manifest names it.</param>
    /// <param name="identity">Identity of what the file belongs to.</param>
    /// <param name="length">Bytes of the stream that the manifest states; null if the header alone does.</param>
    /// <param name="cache">Keeps pages that are read one by one; null for none.</param>
    /// <exception cref="IndexCorruptException">The file is missing or not the one that the manifest names.</exception>
    /// <exception cref="DeviceException">The file cannot be opened or read.</exception>
    public VerifiedStream(
        IStorageIo io, string directory, FileEntry entry, ulong identity, long? length, RecordPageCache? cache = null)
    {
        _pages = new VerifiedPages(io, directory, entry, identity, PageKind.Stream, cache);
        Length = length ?? _pages.Header.StreamLength;
        try
        {
            Check(_pages.Header);
            if (PagedStreamWriter.PageCount(Length) != entry.PageCount)
                throw new IndexCorruptException(
                    FilePath, 0, $"expected a stream that fills {entry.PageCount - 1} pages, found one of {Length} bytes");
        }
        catch
        {
            _pages.Dispose();
            throw;
        }
    }

    /// <summary>Path of the file, for errors.</summary>
    public string FilePath => _pages.FilePath;

    /// <summary>Bytes of the stream.</summary>
    public long Length { get; }

    /// <summary>The page of a byte of the stream.</summary>
    public static long PageOf(long offset) => 1 + (offset / PagedStreamWriter.PayloadSize);

    /// <summary>Reads neighbouring bytes into two buffers, one after the other.</summary>
    /// <param name="offset">The first byte; it and all others lie in the stream.</param>
    /// <param name="head">Receives the first bytes.</param>
    /// <param name="body">Receives those behind them.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">The read failed.</exception>
    public void Read(long offset, Span<byte> head, Span<byte> body)
    {
        long page = PageOf(offset);
        int skip = (int)(offset % PagedStreamWriter.PayloadSize);
        byte[] buffer = [];
        try
        {
            while (head.Length + body.Length > 0)
            {
                int payloads = skip + head.Length + body.Length;
                int count = Math.Min(PagesPerRead, (payloads + PagedStreamWriter.PayloadSize - 1) / PagedStreamWriter.PayloadSize);
                bool isOneByOne = count <= MostKept && _pages.HasCache;
                if (buffer.Length == 0)
                    buffer = ArrayPool<byte>.Shared.Rent(count * PageCodec.PageUnit);
                if (!isOneByOne)
                    _pages.Read(page, buffer.AsSpan(0, count * PageCodec.PageUnit));
                for (int i = 0; i < count; i++, page++)
                {
                    Span<byte> room = buffer.AsSpan(i * PageCodec.PageUnit, PageCodec.PageUnit);
                    ReadOnlySpan<byte> payload = Payload(isOneByOne ? _pages.ReadOne(page, room) : room, page)[skip..];
                    payload = payload[Move(payload, ref head)..];
                    Move(payload, ref body);
                    skip = 0;
                }
            }
        }
        finally
        {
            if (buffer.Length > 0)
                ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>Has the system begin to read bytes of the stream; all of them lie in it.</summary>
    public void BeginRead(long offset, int length)
    {
        long first = PageOf(offset);
        _pages.BeginRead(first, (int)(PageOf(offset + length - 1) - first) + 1);
    }

    /// <summary>Checks the length of the file and its header page.</summary>
    /// <exception cref="IndexCorruptException">One of them is not as the manifest states.</exception>
    /// <exception cref="DeviceException">The read failed.</exception>
    public void CheckHeader() => Check(_pages.ReadHeader());

    /// <summary>Closes the file; a read at the same time may fail with <see cref="ObjectDisposedException"/>.</summary>
    public void Dispose() => _pages.Dispose();

    /// <summary>Copies as many bytes as there is room for, and returns their number.</summary>
    private static int Move(ReadOnlySpan<byte> from, ref Span<byte> to)
    {
        int count = Math.Min(from.Length, to.Length);
        from[..count].CopyTo(to);
        to = to[count..];
        return count;
    }

    private void Check(PageFileHeader header)
    {
        if (header.StreamLength != Length)
            throw new IndexCorruptException(FilePath, 0, $"expected a stream of {Length} bytes, found {header.StreamLength}");
    }

    private ReadOnlySpan<byte> Payload(ReadOnlySpan<byte> page, long number)
    {
        long before = (number - 1) * PagedStreamWriter.PayloadSize;
        long expected = Math.Min(PagedStreamWriter.PayloadSize, Length - before);
        int found = PageCodec.PayloadLength(page);
        return found == expected
            ? PageCodec.Payload(page)[..found]
            : throw new IndexCorruptException(FilePath, number, $"expected {expected} bytes of the stream, found {found}");
    }
}

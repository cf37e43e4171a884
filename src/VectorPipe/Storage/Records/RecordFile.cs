using System.Buffers;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Records;

/// <summary>Finds the records of a generation by handle, and reads all of them. Thread-safe, until it is disposed.</summary>
/// <remarks>
/// Blocking reads through the page cache; each page is verified before use. A look-up reads one page of the directory, nearly always, and
/// then the neighbouring pages of the record at once, up to 256 KiB. Memory: nothing but the buffers of running reads,
/// and what a cache keeps.
/// </remarks>
internal sealed class RecordFile : IDisposable
{
    // A look-up that finds all in memory takes 5 us, one that waits for the disk more than this. Ten records of text keys and payloads of
    // 1 KB, all on the disk: a search took 1.6 ms in the mean instead of 2.2, without payloads 1.8 instead of 2.5 (60,000 records, three
    // alternating rounds).
    private static readonly TimeSpan _diskRead = TimeSpan.FromMicroseconds(50);

    private readonly TimeProvider _clock;
    private readonly RecordFileInfo _info;
    private readonly VerifiedStream _heap;
    private readonly VerifiedPages _directory;

    private RecordFile(TimeProvider clock, RecordFileInfo info, VerifiedStream heap, VerifiedPages directory)
    {
        _clock = clock;
        _info = info;
        _heap = heap;
        _directory = directory;
    }

    /// <summary>Whether a look-up has waited for the disk since reads were last begun: then the next ones probably will. A hint.</summary>
    public bool HasWaited { get; private set; }

    /// <summary>What opened it.</summary>
    public RecordFileInfo Info => _info;

    /// <summary>Records.</summary>
    public long Count => _info.Shape.Entries;

    /// <summary>Opens the files, and checks their headers.</summary>
    /// <param name="io">Reads.</param>
    /// <param name="directory">The directory of the files.</param>
    /// <param name="info">What <see cref="RecordFileWriter.Finish"/> has returned.</param>
    /// <param name="cache">Keeps pages that look-ups read; null for none.</param>
    /// <exception cref="IndexCorruptException">A file is missing, has another length or identity, or its header is damaged.</exception>
    /// <exception cref="DeviceException">A file cannot be opened or read.</exception>
    public static RecordFile Open(IStorageIo io, string directory, RecordFileInfo info, RecordPageCache? cache = null)
    {
        var heap = new VerifiedStream(io, directory, info.Heap, info.Identity, info.HeapBytes, cache);
        try
        {
            var keys = new VerifiedPages(io, directory, info.Directory, info.Identity, PageKind.KeyBucket, cache);
            return new RecordFile(io.Clock, info, heap, keys);
        }
        catch
        {
            heap.Dispose();
            throw;
        }
    }

    /// <summary>The body of a record; null if there is none of this handle.</summary>
    /// <param name="handle">The handle.</param>
    /// <param name="room">Receives the body; null for an array of its own.</param>
    /// <exception cref="IndexCorruptException">A page on the way is damaged, or leads to another record.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public ReadOnlyMemory<byte>? Find(ulong handle, RecordRoom? room = null)
    {
        long from = _clock.GetTimestamp();
        if (FindPlace(handle) is not var (place, page))
            return null;
        if (place.End > _heap.Length)
            throw new IndexCorruptException(
                _directory.FilePath, page,
                $"expected handle {handle} to lead to a record within {_heap.Length} bytes, found one that ends at {place.End}");
        Span<byte> header = stackalloc byte[RecordPlace.HeaderBytes];
        Memory<byte> body = room?.For(place.BodyBytes) ?? new byte[place.BodyBytes];
        _heap.Read(place.Offset, header, body.Span);
        if (_clock.GetElapsedTime(from) > _diskRead)
            HasWaited = true;
        (ulong foundHandle, uint foundBytes) = RecordPlace.ReadHeader(header);
        return foundHandle == handle && foundBytes == (uint)body.Length
            ? body
            : throw new IndexCorruptException(
                _heap.FilePath, VerifiedStream.PageOf(place.Offset),
                $"expected the record of handle {handle} with {body.Length} bytes at byte {place.Offset} of the stream, as the directory "
                + $"states, found that of handle {foundHandle} with {foundBytes} bytes");
    }

    /// <summary>Begins the reads of look-ups that follow soon, so that these wait for the disk side by side.</summary>
    /// <remarks>Whatever is wrong with a page, the look-up that needs it says so.</remarks>
    public void BeginReads(ReadOnlySpan<ulong> handles)
    {
        HasWaited = false;
        foreach (ulong handle in handles)
            _directory.BeginRead(KeyDirectoryShape.FirstPage(_info.Shape.BucketOf(handle)), 1);
        try
        {
            foreach (ulong handle in handles)
            {
                if (FindPlace(handle) is var (place, _) && place.End <= _heap.Length)
                    _heap.BeginRead(place.Offset, RecordPlace.HeaderBytes + place.BodyBytes);
            }
        }
        catch (Exception e) when (e is IndexCorruptException or DeviceException)
        {
            // A record may be replaced by one that waits in memory, so that nobody looks it up.
        }
    }

    /// <summary>Whether there is a record of a handle.</summary>
    /// <exception cref="IndexCorruptException">A page on the way is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public bool Contains(ulong handle) => FindPlace(handle) is not null;

    /// <summary>Reads all records in the order in which they were added, in large reads; each caller gets a scan of its own.</summary>
    /// <exception cref="IndexCorruptException">A page is damaged, or the records are not as many as the manifest states.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public IEnumerable<(ulong Handle, byte[] Body)> ReadAll()
    {
        var scan = new RecordScan(_heap);
        long count = 0;
        for (; scan.TryNext(out ulong handle, out _); count++)
            yield return (handle, scan.Body.ToArray());
        if (count != Count)
            throw new IndexCorruptException(_heap.FilePath, $"expected {Count} records, as the manifest states, found {count}");
    }

    /// <summary>Checks every page of both files, and that each entry leads to its record and each record has its entry.</summary>
    /// <remarks>Reads both files from front to back. Takes 16 bytes per record.</remarks>
    /// <exception cref="IndexCorruptException">The first defect.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public void Verify(CancellationToken cancellationToken) => new RecordVerifier(_info, _heap, _directory).Run(cancellationToken);

    /// <summary>Closes the files; a read at the same time may fail with <see cref="ObjectDisposedException"/>.</summary>
    public void Dispose()
    {
        _heap.Dispose();
        _directory.Dispose();
    }

    /// <summary>The place that the entry of a handle states, and the page of the entry.</summary>
    private (RecordPlace Place, long Page)? FindPlace(ulong handle)
    {
        long bucket = _info.Shape.BucketOf(handle);
        byte[] buffer = ArrayPool<byte>.Shared.Rent(PageCodec.PageUnit);
        try
        {
            int depth = 0;
            for (long number = KeyDirectoryShape.FirstPage(bucket); number != 0; depth++)
            {
                var page = new KeyBucketPage(_directory.ReadOne(number, buffer.AsSpan(0, PageCodec.PageUnit)));
                if (page.FindDefect(bucket, depth, _info.Shape.Buckets, _info.Directory.PageCount) is { } defect)
                    throw new IndexCorruptException(_directory.FilePath, number, defect);
                if (page.TryFind(handle, out ulong value))
                    return (RecordPlace.FromValue(value), number);
                number = page.Next;
            }

            return null;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}

using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Records;

/// <summary>Writes the records of a generation: their bodies one after another, then the directory of their handles.</summary>
/// <remarks>
/// <para>Not thread-safe. Takes 16 bytes per announced record and 2 MiB.</para>
/// <para>Disposal before <see cref="Finish"/> has returned deletes the files. After an error only disposal makes sense.</para>
/// </remarks>
internal sealed class RecordFileWriter : IDisposable
{
    private readonly OwnedFilesIo _io;
    private readonly Func<bool>? _isAlone;
    private readonly string _heapPath;
    private readonly string _directoryPath;
    private readonly ulong _identity;
    private readonly uint _generation;
    private readonly int _capacity;
    private readonly KeyDirectoryWriter<ulong> _directory;
    private readonly List<string> _created = [];
    private readonly PagedStreamWriter _heap;
    private int _count;
    private bool _isEnded;

    /// <summary>Creates both files, empty.</summary>
    /// <param name="io">Writes.</param>
    /// <param name="directory">An existing directory without files of this generation.</param>
    /// <param name="identity">Identity of what the records belong to, not 0; those of the files and the hash's seed derive from it.</param>
    /// <param name="generation">Generation that writes.</param>
    /// <param name="capacity">The most records that will be added: 0 to <see cref="Array.MaxLength"/>.</param>
    /// <param name="isAlone">Whether no other writer can have files of these names meanwhile, which are not to be deleted; null for
    /// true.</param>
    /// <exception cref="IndexWriteException">A file exists, or cannot be created.</exception>
    public RecordFileWriter(
        IStorageIo io, string directory, ulong identity, uint generation, long capacity, Func<bool>? isAlone = null)
    {
        ArgumentOutOfRangeException.ThrowIfZero(identity);
        ArgumentOutOfRangeException.ThrowIfNegative(capacity);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(capacity, Array.MaxLength);

        // Both names are taken before the work. A file that already has one of them is somebody else's: it is never deleted here.
        _io = new OwnedFilesIo(io);
        _isAlone = isAlone;
        _heapPath = Path.Combine(directory, RecordFileInfo.HeapName(generation));
        _directoryPath = Path.Combine(directory, RecordFileInfo.DirectoryName(generation));
        _identity = identity;
        _generation = generation;
        _capacity = (int)capacity;
        _directory = new KeyDirectoryWriter<ulong>(_capacity, KeyDirectoryOptions.Default);
        try
        {
            Create(_heapPath);
            Create(_directoryPath);
            _heap = new PagedStreamWriter(_heapPath, FileRole.Records, identity, generation, length: null, _io);
        }
        catch
        {
            DeleteFiles();
            throw;
        }
    }

    /// <summary>Adds a record.</summary>
    /// <param name="handle">Its handle, unique: one that comes twice is found by <see cref="Finish"/>.</param>
    /// <param name="body">Its bytes: 0 to <see cref="RecordPlace.MaxBodyBytes"/>.</param>
    /// <exception cref="InvalidOperationException">More records than announced, or all of them are written.</exception>
    /// <exception cref="IndexWriteException">A write failed, or the file would have more than 4 TiB.</exception>
    public void Add(ulong handle, ReadOnlySpan<byte> body)
    {
        RequireOpen();
        if (body.Length > RecordPlace.MaxBodyBytes)
            throw new ArgumentOutOfRangeException(
                nameof(body), body.Length, $"Expected a record of at most {RecordPlace.MaxBodyBytes} bytes.");
        if (_count == _capacity)
            throw new InvalidOperationException($"{_heapPath}: expected {_capacity} records at most, as announced, found more.");
        if (_heap.Length > RecordPlace.MaxOffset)
            throw new IndexWriteException($"{_heapPath}: expected records of {RecordPlace.MaxOffset} bytes at most, found more.");
        var place = new RecordPlace(_heap.Length, body.Length);
        Span<byte> header = stackalloc byte[RecordPlace.HeaderBytes];
        RecordPlace.WriteHeader(header, handle, body.Length);
        _heap.Write(header);
        _heap.Write(body);
        _directory.Add(handle, place.ToValue());
        _count++;
    }

    /// <summary>Writes the directory, and returns when both files are on disk; the caller makes their names durable.</summary>
    /// <returns>What a manifest keeps to open the files.</returns>
    /// <exception cref="InvalidOperationException">A handle was added twice, or all records are written.</exception>
    /// <exception cref="IndexWriteException">A write or a sync failed.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public RecordFileInfo Finish(CancellationToken cancellationToken = default)
    {
        RequireOpen();
        _isEnded = true;
        _heap.Complete();
        _directory.Trim();
        (FileEntry directory, KeyDirectoryShape shape) =
            _directory.Write(_directoryPath, FileRole.RecordKeys, _identity, _generation, _io, cancellationToken);

        // A set of all handles would take more memory than the directory; after its sort, equal ones are near each other.
        if (_directory.FindDuplicate() is { } handle)
            throw new InvalidOperationException($"{_heapPath}: expected every handle once, found handle {handle} twice.");
        _created.Clear();
        return new RecordFileInfo(_identity, _heap.Entry, _heap.Length, directory, shape);
    }

    /// <summary>Closes the files, and deletes them unless they are finished.</summary>
    public void Dispose()
    {
        _isEnded = true;
        _heap.Dispose();
        DeleteFiles();
    }

    private void RequireOpen()
    {
        if (_isEnded)
            throw new InvalidOperationException($"{_heapPath}: expected no more records after the end.");
    }

    private void Create(string path)
    {
        try
        {
            _io.Create(path, isReserved: false, reservedBytes: 0, isDirect: false).Dispose();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"Creating {path} failed: {e.Message}", e);
        }

        _created.Add(path);
    }

    private void DeleteFiles()
    {
        foreach (string path in _isAlone?.Invoke() == false ? [] : _created)
        {
            try
            {
                _io.Delete(path);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // No manifest names the file, so the next writer deletes it. An error here would hide the one before it.
            }
        }

        _created.Clear();
    }
}

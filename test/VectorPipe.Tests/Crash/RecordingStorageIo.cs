using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Tests.Crash;

/// <summary>Working storage that records its operations in order.</summary>
/// <param name="root">Records paths below this directory; null records names alone, all files being in one directory.</param>
/// <param name="numbers">Numbers of the files that are there before, below 0; null for none.</param>
internal sealed class RecordingStorageIo(string? root = null, IReadOnlyDictionary<string, int>? numbers = null) : IStorageIo
{
    private readonly UnsyncedStorageIo _inner = new(refuses: false);
    private readonly List<StorageOperation> _operations = [];
    private readonly Dictionary<SafeFileHandle, (int File, string Name)> _open = [];
    private readonly Dictionary<string, int> _files = new(numbers ?? new Dictionary<string, int>());
    private readonly HashSet<SafeFileHandle> _locks = [];

    // Several threads may write files of a build at the same time.
    private readonly Lock _lock = new();

    /// <summary>The operations in order.</summary>
    public IReadOnlyList<StorageOperation> Operations => _operations;

    public void CreateDirectory(string path)
    {
        lock (_lock)
        {
            _inner.CreateDirectory(path);
            _operations.Add(new StorageOperation(StorageOperationKind.CreateDirectory, -1, FolderOf(path)));
        }
    }

    public SafeFileHandle OpenLock(string path)
    {
        // Recorded first: the writer opens the lock a second time, and expects that to fail.
        RecordLock(null);
        SafeFileHandle handle = _inner.OpenLock(path);
        lock (_lock)
            _locks.Add(handle);
        return handle;
    }

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        lock (_lock)
        {
            // Reserved room and the file that fills it are the same file.
            SafeFileHandle handle = _inner.Create(path, isReserved, reservedBytes, isDirect);
            string name = NameOf(path);
            int file = isReserved ? _files[name] : _operations.Count;
            _files[name] = file;
            _open[handle] = (file, name);
            _operations.Add(new StorageOperation(isReserved ? StorageOperationKind.Open : StorageOperationKind.Create, file, name));
            return handle;
        }
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect)
    {
        lock (_lock)
        {
            SafeFileHandle handle = _inner.OpenForUpdate(path, isDirect);
            string name = NameOf(path);
            _open[handle] = (_files[name], name);
            _operations.Add(new StorageOperation(StorageOperationKind.Open, _files[name], name));
            return handle;
        }
    }

    public SafeFileHandle OpenForReading(string path) => _inner.OpenForReading(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => _inner.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        lock (_lock)
        {
            _inner.Write(file, bytes, offset);
            if (_locks.Contains(file))
                RecordLock(bytes.ToArray());
            else
                _operations.Add(
                    new StorageOperation(
                        StorageOperationKind.Write, _open[file].File, _open[file].Name, Offset: offset, Bytes: bytes.ToArray()));
        }
    }

    public void SetLength(SafeFileHandle file, long length)
    {
        lock (_lock)
        {
            _inner.SetLength(file, length);
            if (_locks.Contains(file))
                RecordLock([]);
            else
                _operations.Add(new StorageOperation(StorageOperationKind.SetLength, _open[file].File, _open[file].Name, Offset: length));
        }
    }

    public void Sync(SafeFileHandle file)
    {
        lock (_lock)
        {
            _inner.Sync(file);
            _operations.Add(new StorageOperation(StorageOperationKind.Sync, _open[file].File, _open[file].Name));
        }
    }

    public void Rename(string from, string to)
    {
        lock (_lock)
        {
            _inner.Rename(from, to);
            string name = NameOf(from), newName = NameOf(to);
            _operations.Add(new StorageOperation(StorageOperationKind.Rename, _files[name], name, newName));
            _files[newName] = _files[name];
        }
    }

    public void Delete(string path)
    {
        lock (_lock)
        {
            _inner.Delete(path);
            _operations.Add(new StorageOperation(StorageOperationKind.Delete, -1, NameOf(path)));
        }
    }

    public void DeleteDirectory(string path)
    {
        if (root is null)
            throw new NotSupportedException("Only builds that succeed are recorded.");
        lock (_lock)
        {
            _inner.DeleteDirectory(path);
            _operations.Add(new StorageOperation(StorageOperationKind.DeleteDirectory, -1, FolderOf(path)));
        }
    }

    public void SyncDirectory(string path)
    {
        lock (_lock)
        {
            _inner.SyncDirectory(path);
            _operations.Add(new StorageOperation(StorageOperationKind.SyncDirectory, -1, FolderOf(path)));
        }
    }

    private string NameOf(string path) => root is null ? Path.GetFileName(path) : Path.GetRelativePath(root, path);

    private string FolderOf(string path) => root is null ? path : Path.GetRelativePath(root, path);

    /// <summary>Records an operation on the lock file.</summary>
    /// <param name="content">The whole file after the operation; null if it does not change.</param>
    private void RecordLock(byte[]? content)
    {
        lock (_lock)
            _operations.Add(new StorageOperation(StorageOperationKind.Lock, -1, WriteLock.Name, Bytes: content));
    }
}

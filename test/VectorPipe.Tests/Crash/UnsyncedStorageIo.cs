using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>Storage that syncs nothing and writes through the page cache, so that no test waits for the disk.</summary>
/// <param name="refuses">Whether syncing a directory is an error; otherwise it has no effect.</param>
internal sealed class UnsyncedStorageIo(bool refuses) : IStorageIo
{
    private readonly FileStorageIo _inner = FileStorageIo.Instance;

    public void CreateDirectory(string path) => _inner.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path) => _inner.OpenLock(path);

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect) =>
        _inner.Create(path, isReserved, reservedBytes, isDirect: false);

    public SafeFileHandle OpenForUpdate(string path, bool isDirect) => _inner.OpenForUpdate(path, isDirect: false);

    public SafeFileHandle OpenForReading(string path) => _inner.OpenForReading(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => _inner.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset) => _inner.Write(file, bytes, offset);

    public void SetLength(SafeFileHandle file, long length) => _inner.SetLength(file, length);

    public void Sync(SafeFileHandle file)
    {
        // Nothing is kept longer than the test.
    }

    public void Rename(string from, string to) => _inner.Rename(from, to);

    public void Delete(string path) => _inner.Delete(path);

    public void DeleteDirectory(string path) => _inner.DeleteDirectory(path);

    public void SyncDirectory(string path)
    {
        if (refuses)
            throw new IOException("Invalid argument");
    }
}

using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>Storage of one machine; the file system's locks do not exclude writers on other machines.</summary>
/// <param name="excludesOwn">Whether the locks exclude a second writer on the same machine.</param>
/// <param name="inner">Does everything else; null for the file system, without syncs.</param>
internal sealed class LyingLockStorageIo(bool excludesOwn, IStorageIo? inner = null) : IStorageIo
{
    private readonly IStorageIo _inner = inner ?? new UnsyncedStorageIo(refuses: false);
    private readonly Dictionary<string, SafeFileHandle> _held = [];

    public void CreateDirectory(string path) => _inner.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path)
    {
        if (excludesOwn && _held.TryGetValue(path, out SafeFileHandle? held) && !held.IsClosed)
            throw new IOException("Resource temporarily unavailable");
        return _held[path] = File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
    }

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect) =>
        _inner.Create(path, isReserved, reservedBytes, isDirect);

    public SafeFileHandle OpenForUpdate(string path, bool isDirect) => _inner.OpenForUpdate(path, isDirect);

    public SafeFileHandle OpenForReading(string path) => _inner.OpenForReading(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => _inner.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset) => _inner.Write(file, bytes, offset);

    public void SetLength(SafeFileHandle file, long length) => _inner.SetLength(file, length);

    public void Sync(SafeFileHandle file) => _inner.Sync(file);

    public void Rename(string from, string to) => _inner.Rename(from, to);

    public void Delete(string path) => _inner.Delete(path);

    public void DeleteDirectory(string path) => _inner.DeleteDirectory(path);

    public void SyncDirectory(string path) => _inner.SyncDirectory(path);
}

using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>Working storage that calls an action before each operation that changes a file, with the file's path.</summary>
/// <param name="before">The action; an exception takes the place of the operation.</param>
internal sealed class WatchedStorageIo(Action<string> before) : IStorageIo
{
    private readonly UnsyncedStorageIo _inner = new(refuses: false);
    private readonly ConditionalWeakTable<SafeFileHandle, string> _paths = [];

    /// <summary>Called before each read, with the file's path.</summary>
    public Action<string>? BeforeRead { get; init; }

    /// <summary>Called when the system shall begin to read, with the file's path.</summary>
    public Action<string>? BeginsRead { get; init; }

    /// <summary>Called before a file is opened to be changed in place.</summary>
    public Action<string>? BeforeUpdate { get; init; }

    public void CreateDirectory(string path) => _inner.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path) => Named(_inner.OpenLock(path), path);

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        before(path);
        return Named(_inner.Create(path, isReserved, reservedBytes, isDirect), path);
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect)
    {
        BeforeUpdate?.Invoke(path);
        return Named(_inner.OpenForUpdate(path, isDirect), path);
    }

    public SafeFileHandle OpenForReading(string path) => Named(_inner.OpenForReading(path), path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset)
    {
        BeforeRead?.Invoke(PathOf(file));
        return _inner.Read(file, buffer, offset);
    }

    public void BeginRead(SafeFileHandle file, long offset, int length)
    {
        BeginsRead?.Invoke(PathOf(file));
        ReadAhead.Begin(file, offset, length);
    }

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        before(PathOf(file));
        _inner.Write(file, bytes, offset);
    }

    public void SetLength(SafeFileHandle file, long length) => _inner.SetLength(file, length);

    public void Sync(SafeFileHandle file)
    {
        before(PathOf(file));
        _inner.Sync(file);
    }

    public void Rename(string from, string to)
    {
        before(from);
        _inner.Rename(from, to);
    }

    public void Delete(string path) => _inner.Delete(path);

    public void DeleteDirectory(string path) => _inner.DeleteDirectory(path);

    public void SyncDirectory(string path) => _inner.SyncDirectory(path);

    private string PathOf(SafeFileHandle file) => _paths.TryGetValue(file, out string? path) ? path : "";

    private SafeFileHandle Named(SafeFileHandle file, string path)
    {
        _paths.Add(file, path);
        return file;
    }
}

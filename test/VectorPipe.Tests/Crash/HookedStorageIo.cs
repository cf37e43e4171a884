using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>Working storage that calls an action before the k-th operation.</summary>
/// <param name="at">The operation, from 0.</param>
/// <param name="action">The action.</param>
internal sealed class HookedStorageIo(int at, Action action) : IStorageIo
{
    private readonly UnsyncedStorageIo _inner = new(refuses: false);
    private int _operations;

    /// <summary>Operations so far.</summary>
    public int Operations => Volatile.Read(ref _operations);

    public void CreateDirectory(string path)
    {
        Step();
        _inner.CreateDirectory(path);
    }

    public SafeFileHandle OpenLock(string path)
    {
        Step();
        return _inner.OpenLock(path);
    }

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        Step();
        return _inner.Create(path, isReserved, reservedBytes, isDirect);
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect)
    {
        Step();
        return _inner.OpenForUpdate(path, isDirect);
    }

    public SafeFileHandle OpenForReading(string path)
    {
        Step();
        return _inner.OpenForReading(path);
    }

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset)
    {
        Step();
        return _inner.Read(file, buffer, offset);
    }

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        Step();
        _inner.Write(file, bytes, offset);
    }

    public void SetLength(SafeFileHandle file, long length)
    {
        Step();
        _inner.SetLength(file, length);
    }

    public void Sync(SafeFileHandle file)
    {
        Step();
        _inner.Sync(file);
    }

    public void Rename(string from, string to)
    {
        Step();
        _inner.Rename(from, to);
    }

    public void Delete(string path)
    {
        Step();
        _inner.Delete(path);
    }

    public void DeleteDirectory(string path)
    {
        Step();
        _inner.DeleteDirectory(path);
    }

    public void SyncDirectory(string path)
    {
        Step();
        _inner.SyncDirectory(path);
    }

    private void Step()
    {
        if (Interlocked.Increment(ref _operations) - 1 == at)
            action();
    }
}

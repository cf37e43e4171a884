using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>Storage that silently damages the file of the k-th write.</summary>
/// <param name="damage">The kind of damage.</param>
/// <param name="at">The write, from 0; a number that is never reached only counts writes.</param>
internal sealed class DamagingStorageIo(ScratchDamage damage, int at) : IStorageIo
{
    private readonly FileStorageIo _inner = FileStorageIo.Instance;
    private readonly ConcurrentDictionary<SafeFileHandle, string> _paths = [];
    private int _writes;

    /// <summary>Writes so far.</summary>
    public int Writes => Volatile.Read(ref _writes);

    /// <summary>Describes the damage; null if there is none.</summary>
    public string? Damaged { get; private set; }

    public void CreateDirectory(string path) => _inner.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path) => _inner.OpenLock(path);

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        SafeFileHandle file = _inner.Create(path, isReserved, reservedBytes, isDirect: false);
        _paths[file] = path;
        return file;
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect) => _inner.OpenForUpdate(path, isDirect);

    public SafeFileHandle OpenForReading(string path) => _inner.OpenForReading(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => _inner.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        // The lock file is no part of an index.
        int write = _paths.ContainsKey(file) ? Interlocked.Increment(ref _writes) - 1 : -1;
        if (write != at)
        {
            _inner.Write(file, bytes, offset);
            return;
        }

        Damaged = $"{damage} of {Path.GetFileName(_paths[file])} in write {write} of {bytes.Length} bytes at {offset}";
        switch (damage)
        {
            case ScratchDamage.FlippedBit:
                byte[] flipped = bytes.ToArray();
                flipped[write * 31 % flipped.Length] ^= 8;
                _inner.Write(file, flipped, offset);
                break;
            case ScratchDamage.LostWrite:
                break;
            case ScratchDamage.CutFile:
                _inner.Write(file, bytes, offset);
                _inner.SetLength(file, offset / 2);
                break;
            default:
                _inner.Write(file, bytes, offset);
                _inner.Delete(_paths[file]);
                break;
        }
    }

    public void SetLength(SafeFileHandle file, long length) => _inner.SetLength(file, length);

    public void Sync(SafeFileHandle file) => _inner.Sync(file);

    public void Rename(string from, string to) => _inner.Rename(from, to);

    public void Delete(string path) => _inner.Delete(path);

    public void DeleteDirectory(string path) => _inner.DeleteDirectory(path);

    public void SyncDirectory(string path) => _inner.SyncDirectory(path);
}

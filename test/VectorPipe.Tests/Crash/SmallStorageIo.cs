using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>Storage on a disk of a given size; writes take room, deletions and truncations return it.</summary>
/// <param name="bytes">Free bytes on the disk, beside the files that are there already.</param>
/// <param name="inner">The storage behind; null for the file system.</param>
internal sealed class SmallStorageIo(long bytes, IStorageIo? inner = null) : IStorageIo
{
    private readonly IStorageIo _inner = inner ?? FileStorageIo.Instance;
    private readonly Dictionary<string, long> _taken = [];
    private readonly Dictionary<SafeFileHandle, string> _open = [];
    private readonly Lock _lock = new();
    private long _before;

    /// <summary>Bytes that were reserved so far.</summary>
    public long Reserved { get; private set; }

    /// <summary>Most bytes in use at a time, beyond those of the files that were there before.</summary>
    public long Peak { get; private set; }

    public void CreateDirectory(string path) => _inner.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path) => _inner.OpenLock(path);

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        lock (_lock)
        {
            Reserved += Math.Max(0, reservedBytes - _taken.GetValueOrDefault(path));
            Take(path, Math.Max(reservedBytes, _taken.GetValueOrDefault(path)));
            SafeFileHandle file = _inner.Create(path, isReserved, 0, isDirect);
            _open[file] = path;
            return file;
        }
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect)
    {
        lock (_lock)
        {
            SafeFileHandle file = _inner.OpenForUpdate(path, isDirect);
            Meet(path);
            _open[file] = path;
            return file;
        }
    }

    public SafeFileHandle OpenForReading(string path) => _inner.OpenForReading(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => _inner.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        lock (_lock)
        {
            // The lock file is no part of an index.
            if (_open.TryGetValue(file, out string? path))
                Take(path, Math.Max(_taken[path], offset + bytes.Length));
        }

        _inner.Write(file, bytes, offset);
    }

    public void SetLength(SafeFileHandle file, long length)
    {
        lock (_lock)
        {
            if (_open.TryGetValue(file, out string? path))
                Take(path, length);
        }

        _inner.SetLength(file, length);
    }

    public void Sync(SafeFileHandle file) => _inner.Sync(file);

    public void Rename(string from, string to)
    {
        lock (_lock)
        {
            Meet(from);
            Meet(to);
            _inner.Rename(from, to);
            _taken.Remove(from, out long taken);
            _taken[to] = taken;
        }
    }

    public void Delete(string path)
    {
        lock (_lock)
        {
            Meet(path);
            _inner.Delete(path);
            _taken.Remove(path);
        }
    }

    public void DeleteDirectory(string path) => _inner.DeleteDirectory(path);

    public void SyncDirectory(string path) => _inner.SyncDirectory(path);

    // A file that was there before takes room, too, which its deletion returns.
    private void Meet(string path)
    {
        if (!_taken.ContainsKey(path) && File.Exists(path))
            _before += _taken[path] = new FileInfo(path).Length;
    }

    private void Take(string path, long total)
    {
        long all = _taken.Values.Sum() - _before - _taken.GetValueOrDefault(path) + total;
        if (all > bytes)
            throw new IOException("No space left on device");
        _taken[path] = total;
        Peak = Math.Max(Peak, all);
    }
}

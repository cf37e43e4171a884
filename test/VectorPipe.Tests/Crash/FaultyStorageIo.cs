using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>Storage that fails at the k-th operation, once or from then on.</summary>
/// <param name="fault">The kind of failure.</param>
/// <param name="failAt">The operation that fails, from 0; a number that is never reached only counts operations.</param>
/// <param name="always">Whether all later operations fail too; after a death they always do.</param>
/// <param name="inner">The storage behind; null for the file system without syncs.</param>
internal sealed class FaultyStorageIo(StorageFault fault, int failAt, bool always = false, IStorageIo? inner = null) : IStorageIo
{
    private readonly IStorageIo _inner = inner ?? new UnsyncedStorageIo(refuses: false);
    private readonly ConditionalWeakTable<SafeFileHandle, string> _names = [];
    private readonly List<string> _seen = [];
    private readonly Lock _lock = new();

    /// <summary>Every read takes long: what follows from that is the same in each run.</summary>
    public TimeProvider Clock { get; } = new SlowTime();

    /// <summary>Operations so far.</summary>
    public int Operations { get; private set; }

    /// <summary>Describes all operations so far, those that failed too.</summary>
    public IReadOnlyList<string> Seen => _seen;

    /// <summary>Describes the first failure; null if nothing failed.</summary>
    public string? Failed { get; private set; }

    public void CreateDirectory(string path)
    {
        Step($"create directory {path}");
        _inner.CreateDirectory(path);
    }

    public SafeFileHandle OpenLock(string path)
    {
        Step($"open lock {path}");
        return Named(_inner.OpenLock(path), path);
    }

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        Step($"create {path}");
        return Named(_inner.Create(path, isReserved, reservedBytes, isDirect), path);
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect)
    {
        Step($"open {path}");
        return Named(_inner.OpenForUpdate(path, isDirect), path);
    }

    public SafeFileHandle OpenForReading(string path)
    {
        Step($"open {path} for reading");
        return Named(_inner.OpenForReading(path), path);
    }

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset)
    {
        Step($"read {buffer.Length} bytes of {NameOf(file)} at {offset}");
        return _inner.Read(file, buffer, offset);
    }

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        if (Operations == failAt && fault is StorageFault.ShortWrite or StorageFault.DeathInWrite)
            _inner.Write(file, bytes[..(bytes.Length / 2)], offset);
        Step($"write {bytes.Length} bytes of {NameOf(file)} at {offset}");
        _inner.Write(file, bytes, offset);
    }

    public void SetLength(SafeFileHandle file, long length)
    {
        Step($"set the length of {NameOf(file)} to {length}");
        _inner.SetLength(file, length);
    }

    public void Sync(SafeFileHandle file)
    {
        Step($"sync file {NameOf(file)}");
        _inner.Sync(file);
    }

    public void Rename(string from, string to)
    {
        Step($"rename {from}");
        _inner.Rename(from, to);
    }

    public void Delete(string path)
    {
        Step($"delete {path}");
        _inner.Delete(path);
    }

    public void DeleteDirectory(string path)
    {
        Step($"delete directory {path}");
        _inner.DeleteDirectory(path);
    }

    public void SyncDirectory(string path)
    {
        Step($"sync directory {path}");
        _inner.SyncDirectory(path);
    }

    private SafeFileHandle Named(SafeFileHandle file, string path)
    {
        _names.Add(file, path);
        return file;
    }

    private string NameOf(SafeFileHandle file) => _names.TryGetValue(file, out string? path) ? Path.GetFileName(path) : "another file";

    private void Step(string what)
    {
        // Several threads may write files of a build at the same time.
        lock (_lock)
        {
            int operation = Operations++;
            _seen.Add(what);
            bool dead = fault is StorageFault.Death or StorageFault.DeathInWrite;
            if (operation < failAt || (operation > failAt && !always && !dead))
                return;
            Failed ??= $"operation {operation}: {what}";
        }

        throw fault switch
        {
            StorageFault.IoError or StorageFault.ShortWrite => new IOException("Input/output error"),
            StorageFault.DiskFull => new IOException("No space left on device"),
            _ => new ProcessDeathException($"the process died at {Failed}"),
        };
    }
}

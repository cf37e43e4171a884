using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Storage.Files;

/// <summary>Storage with the rules of Windows for files that are open more than once, or renamed or deleted while they are open.</summary>
/// <remarks>It knows the files that are opened through it. It has the rules of older versions: an open file is not replaced.</remarks>
/// <param name="inner">The storage behind it.</param>
internal sealed class SharingRulesStorageIo(IStorageIo inner) : IStorageIo
{
    private readonly List<Opened> _open = [];
    private readonly Lock _gate = new();

    /// <summary>What Windows would have refused, apart from a lock that is held.</summary>
    public List<string> Refused { get; } = [];

    /// <summary>Files that were opened to be changed in place, renamed or deleted.</summary>
    public Dictionary<string, int> Changes { get; } = [];

    public void CreateDirectory(string path) => inner.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path) => inner.OpenLock(path);

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect) =>
        Open(path, FileAccess.Write, FileShare.Read, () => inner.Create(path, isReserved, reservedBytes, isDirect));

    public SafeFileHandle OpenForUpdate(string path, bool isDirect)
    {
        Count("update");
        return Open(path, FileAccess.Write, FileShare.Read, () => inner.OpenForUpdate(path, isDirect));
    }

    public SafeFileHandle OpenForReading(string path) =>
        Open(path, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, () => inner.OpenForReading(path));

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => inner.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset) => inner.Write(file, bytes, offset);

    public void SetLength(SafeFileHandle file, long length) => inner.SetLength(file, length);

    public void Sync(SafeFileHandle file) => inner.Sync(file);

    public void Rename(string from, string to)
    {
        Count("rename");
        lock (_gate)
        {
            if (OpenAt(from).Any(other => (other.Share & FileShare.Delete) == 0))
                throw Refusal($"the rename of {from}, which is open");
            if (OpenAt(to).Length > 0)
                throw Refusal($"the replacement of {to}, which is open");
            inner.Rename(from, to);
            foreach (Opened file in OpenAt(from))
                file.Path = to;
        }
    }

    public void Delete(string path)
    {
        Count("delete");
        lock (_gate)
        {
            if (OpenAt(path).Any(other => (other.Share & FileShare.Delete) == 0))
                throw Refusal($"the deletion of {path}, which is open");
            inner.Delete(path);
        }
    }

    public void DeleteDirectory(string path)
    {
        Count("delete a folder");
        lock (_gate)
        {
            if (_open.Any(file => !file.Handle.IsClosed && Path.GetDirectoryName(file.Path) == path))
                throw Refusal($"the deletion of {path}, which has files that are open");
            inner.DeleteDirectory(path);
        }
    }

    public void SyncDirectory(string path) => inner.SyncDirectory(path);

    private SafeFileHandle Open(string path, FileAccess access, FileShare share, Func<SafeFileHandle> open)
    {
        lock (_gate)
        {
            // Read and write are the same bits in both enumerations.
            if (OpenAt(path).Any(other => ((int)access & ~(int)other.Share) != 0 || ((int)other.Access & ~(int)share) != 0))
                throw Refusal($"opening {path} to {access}, which is open in a way that does not go with it");
            SafeFileHandle handle = open();
            _open.RemoveAll(file => file.Handle.IsClosed);
            _open.Add(new Opened(path, handle, access, share));
            return handle;
        }
    }

    private Opened[] OpenAt(string path) => [.. _open.Where(file => !file.Handle.IsClosed && file.Path == path)];

    private void Count(string change)
    {
        lock (_gate)
            Changes[change] = Changes.GetValueOrDefault(change) + 1;
    }

    private IOException Refusal(string operation)
    {
        Refused.Add(operation);
        return new IOException($"Windows would refuse {operation}");
    }

    private sealed class Opened(string path, SafeFileHandle handle, FileAccess access, FileShare share)
    {
        public string Path { get; set; } = path;

        public SafeFileHandle Handle { get; } = handle;

        public FileAccess Access { get; } = access;

        public FileShare Share { get; } = share;
    }
}

using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;

namespace VectorPipe.Storage.Files;

/// <summary>Remembers the files that one writer creates, and refuses other files of the same names.</summary>
/// <remarks>
/// Every writer gives the files of a generation the same names. Where the lock does not exclude a second writer, that one may have deleted
/// a file and created another of its name. Thread-safe, like the storage behind it.
/// </remarks>
internal sealed class OwnedFilesIo(IStorageIo inner) : IStorageIo
{
    private readonly Dictionary<string, FileIdentity?> _files = [];
    private readonly Lock _gate = new();

    public TimeProvider Clock => inner.Clock;

    /// <summary>Forgets the files of an earlier generation.</summary>
    public void Clear()
    {
        lock (_gate)
            _files.Clear();
    }

    /// <summary>Makes sure that a name still belongs to the file that was created under it.</summary>
    /// <exception cref="IOException">It belongs to another file, or to none.</exception>
    public void RequireOwn(string path)
    {
        lock (_gate)
        {
            using SafeFileHandle file = RegularFile.Open(path);
            if (!_files.TryGetValue(path, out FileIdentity? created) || (created is not null && FileIdentity.Of(file) != created))
                throw Foreign(path);
        }
    }

    public void CreateDirectory(string path) => inner.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path) => inner.OpenLock(path);

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        lock (_gate)
        {
            bool isOwn = _files.TryGetValue(path, out FileIdentity? created);
            SafeFileHandle file = inner.Create(path, isOwn, reservedBytes, isDirect);
            FileIdentity? found = FileIdentity.Of(file);
            if (isOwn && found != created)
            {
                file.Dispose();
                throw Foreign(path);
            }

            _files[path] = found;
            return file;
        }
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect) => inner.OpenForUpdate(path, isDirect);

    public SafeFileHandle OpenForReading(string path) => inner.OpenForReading(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => inner.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset) => inner.Write(file, bytes, offset);

    public void SetLength(SafeFileHandle file, long length) => inner.SetLength(file, length);

    public void Sync(SafeFileHandle file) => inner.Sync(file);

    public void Rename(string from, string to) => inner.Rename(from, to);

    public void Delete(string path)
    {
        inner.Delete(path);
        lock (_gate)
            _files.Remove(path);
    }

    public void DeleteDirectory(string path) => inner.DeleteDirectory(path);

    public void SyncDirectory(string path) => inner.SyncDirectory(path);

    private static IOException Foreign(string path) =>
        new($"expected '{path}' to be the file that this writer created, found another in its place; another writer is at work");
}

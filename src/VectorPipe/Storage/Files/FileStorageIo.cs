using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Storage.Files;

/// <summary>Changes an index directory through the operating system.</summary>
internal sealed class FileStorageIo : IStorageIo
{
    public static FileStorageIo Instance { get; } = new();

    public void CreateDirectory(string path) => Directory.CreateDirectory(path);

    public SafeFileHandle OpenLock(string path) => File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);

    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        SafeFileHandle file = isReserved
            ? OpenEmpty(path)
            : File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read, FileOptions.None, reservedBytes);
        if (isDirect)
            PageCacheBypass.Enable(file);
        return file;
    }

    public SafeFileHandle OpenForUpdate(string path, bool isDirect)
    {
        SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.Read);
        if (isDirect)
            PageCacheBypass.Enable(file);
        return file;
    }

    public SafeFileHandle OpenForReading(string path) => RegularFile.Open(path);

    public int Read(SafeFileHandle file, Span<byte> buffer, long offset) => RandomAccess.Read(file, buffer, offset);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        try
        {
            RandomAccess.Write(file, bytes, offset);
        }
        catch (IOException e) when (e.HResult == Errno.EINVAL && PageCacheBypass.TryDisable(file))
        {
            // Some file systems accept the flag and refuse the write, or require a larger alignment than pages.
            RandomAccess.Write(file, bytes, offset);
        }
    }

    public void SetLength(SafeFileHandle file, long length) => RandomAccess.SetLength(file, length);

    public void Sync(SafeFileHandle file) => RandomAccess.FlushToDisk(file);

    public void Rename(string from, string to) => PatientRename.Move(from, to);

    public void Delete(string path) => File.Delete(path);

    public void DeleteDirectory(string path) => Directory.Delete(path);

    public void SyncDirectory(string path) => DirectorySync.Flush(path);

    private static SafeFileHandle OpenEmpty(string path)
    {
        SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.Read);
        if (RandomAccess.GetLength(file) == 0)
            return file;
        file.Dispose();
        throw new IOException($"expected the reserved file '{path}' to be empty, found bytes in it");
    }
}

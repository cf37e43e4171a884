using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Storage.Files;

/// <summary>Changes an index directory by way of the operating system.</summary>
internal sealed class FileStorageIo : IStorageIo
{
    private FileStorageIo()
    {
    }

    /// <summary>The one instance; it has no state.</summary>
    public static FileStorageIo Instance { get; } = new();

    /// <inheritdoc/>
    public void CreateDirectory(string path) => Directory.CreateDirectory(path);

    /// <inheritdoc/>
    public SafeFileHandle OpenLock(string path) => File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);

    /// <inheritdoc/>
    public SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect)
    {
        SafeFileHandle file = isReserved
            ? OpenEmpty(path)
            : File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read, FileOptions.None, reservedBytes);
        if (isDirect)
            PageCacheBypass.Enable(file);
        return file;
    }

    /// <inheritdoc/>
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
            // Some file systems take the flag and refuse the write, or ask for more than pages as the alignment.
            RandomAccess.Write(file, bytes, offset);
        }
    }

    /// <inheritdoc/>
    public void SetLength(SafeFileHandle file, long length) => RandomAccess.SetLength(file, length);

    /// <inheritdoc/>
    public void Sync(SafeFileHandle file) => RandomAccess.FlushToDisk(file);

    /// <inheritdoc/>
    public void Rename(string from, string to) => File.Move(from, to, overwrite: true);

    /// <inheritdoc/>
    public void Delete(string path) => File.Delete(path);

    /// <inheritdoc/>
    public void DeleteDirectory(string path) => Directory.Delete(path);

    /// <inheritdoc/>
    public void SyncDirectory(string path) => DirectorySync.Flush(path);

    private static SafeFileHandle OpenEmpty(string path)
    {
        SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.Read);
        if (RandomAccess.GetLength(file) == 0)
            return file;
        file.Dispose();
        throw new IOException($"expected '{path}' to be empty, as it was reserved, found a file that holds something");
    }
}

using Microsoft.Win32.SafeHandles;

namespace VectorPipe.Storage;

/// <summary>Held by the one writer of an index directory. Readers take no lock: they hold the files of their generation open.</summary>
internal sealed class WriteLock : IDisposable
{
    /// <summary>The lock file's name. It is empty and stays behind; the lock is on the open file, so a killed writer leaves none.</summary>
    public const string Name = "LOCK";

    private readonly SafeFileHandle _handle;

    private WriteLock(SafeFileHandle handle) => _handle = handle;

    /// <summary>Takes the lock of a directory.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="io">Opens the lock file.</param>
    /// <exception cref="IndexWriteException">Another writer holds it, or the directory cannot be written to.</exception>
    public static WriteLock Take(string directory, IStorageIo io)
    {
        string path = Path.Combine(directory, Name);
        try
        {
            return new WriteLock(io.OpenLock(path));
        }
        catch (UnauthorizedAccessException e)
        {
            throw new IndexWriteException($"{directory}: expected a directory that can be written to: {e.Message}", e);
        }
        catch (IOException e)
        {
            throw new IndexWriteException($"{directory}: expected to be the only writer, but the lock file {Name} cannot be had: {e.Message}", e);
        }
    }

    /// <summary>Takes the lock if nobody holds it; else null.</summary>
    /// <exception cref="IndexWriteException">The directory may not be written to.</exception>
    public static WriteLock? TryTake(string directory, IStorageIo io)
    {
        try
        {
            return Take(directory, io);
        }
        catch (IndexWriteException e) when (e.InnerException is IOException)
        {
            // Another writer is at work: what looks left over may be what it writes.
            return null;
        }
    }

    /// <summary>Lets the next writer in.</summary>
    public void Dispose() => _handle.Dispose();
}

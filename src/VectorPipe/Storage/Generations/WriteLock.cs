using System.Text;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Generations;

/// <summary>Held by the one writer of an index directory. Readers take no lock: they hold the files of their generation open.</summary>
/// <remarks>
/// The lock is on the open file, so a killed writer leaves none. Some file systems ignore such locks, or keep them on one machine only.
/// Taking the lock detects the first case: a second open must fail. For the second case the writer puts a random id into the file and
/// checks it again before it changes the index in force.
/// </remarks>
internal sealed class WriteLock : IDisposable
{
    /// <summary>The lock file's name. The file stays, empty or with the id of a dead writer.</summary>
    public const string Name = "LOCK";

    private const int IdBytes = 32;

    private readonly string _directory;
    private readonly IStorageIo _io;
    private readonly SafeFileHandle _handle;
    private readonly byte[] _id;
    private readonly bool _isReadByName;

    private WriteLock(string directory, IStorageIo io, SafeFileHandle handle, byte[] id, bool isReadByName)
    {
        _isReadByName = isReadByName;
        _directory = directory;
        _io = io;
        _handle = handle;
        _id = id;
    }

    /// <summary>Takes the lock of a directory.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="io">Opens and writes the lock file.</param>
    /// <param name="isReadByName">Whether others can read the file, and so this writer by its name; null for what the operating system
    /// allows.</param>
    /// <exception cref="IndexWriteException">Another writer holds it, the directory cannot be written to, or the file system's locks
    /// exclude nobody.</exception>
    public static WriteLock Take(string directory, IStorageIo io, bool? isReadByName = null)
    {
        string path = Path.Combine(directory, Name);
        SafeFileHandle? handle = null;
        try
        {
            handle = io.OpenLock(path);
            if (!IsExclusive(path, io))
                throw new IndexWriteException(
                    $"{directory}: expected a file system whose locks exclude a second writer, found that {Name} can be locked twice; "
                    + "build on another file system, or, if DOTNET_SYSTEM_IO_DISABLEFILELOCKING is set, without it.");
            byte[] id = Encoding.ASCII.GetBytes(Guid.NewGuid().ToString("N"));
            io.Write(handle, id, 0);
            var writeLock = new WriteLock(directory, io, handle, id, isReadByName ?? !OperatingSystem.IsWindows());
            writeLock.RequireHeld();
            return writeLock;
        }
        catch (Exception e)
        {
            handle?.Dispose();
            if (e is UnauthorizedAccessException)
                throw new IndexWriteException($"{directory}: expected a directory that can be written to: {e.Message}", e);
            if (e is IOException)
                throw new IndexWriteException(
                    $"{directory}: expected to be the only writer, but the lock file {Name} is not available: {e.Message}", e);
            throw;
        }
    }

    /// <summary>Throws if another writer has taken the lock since, on this machine or another.</summary>
    /// <exception cref="IndexWriteException">Another writer has taken it.</exception>
    /// <exception cref="IOException">The lock file cannot be read.</exception>
    public void RequireHeld()
    {
        if (!IsHeld())
            throw new IndexWriteException(
                $"{_directory}: expected to be the only writer, found that another one has taken {Name} meanwhile: the file system's "
                + "locks do not exclude it. Nothing was published.");
    }

    /// <summary>Whether no other writer has taken the lock since, on this machine or another.</summary>
    public bool IsHeld()
    {
        try
        {
            // By name: the open file may have been deleted, or be cached. On Windows only this handle can read the file.
            using SafeFileHandle? named = _isReadByName ? RegularFile.Open(Path.Combine(_directory, Name)) : null;
            Span<byte> found = stackalloc byte[IdBytes + 1];
            int length = RandomAccess.Read(named ?? _handle, found, 0);
            return found[..length].SequenceEqual(_id);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return false;
        }
    }

    /// <summary>Empties the file and releases the lock.</summary>
    public void Dispose()
    {
        if (_handle.IsClosed)
            return;
        try
        {
            if (IsHeld())
                _io.SetLength(_handle, 0);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The id of a writer that has ended means nothing: the next one overwrites it.
        }
        finally
        {
            _handle.Dispose();
        }
    }

    private static bool IsExclusive(string path, IStorageIo io)
    {
        try
        {
            io.OpenLock(path).Dispose();
            return false;
        }
        catch (IOException)
        {
            return true;
        }
    }
}

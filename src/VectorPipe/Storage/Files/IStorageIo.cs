using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Files;

/// <summary>
/// Everything that changes an index directory: what is written, synced, renamed and deleted passes through here, so that a test can make
/// each step fail.
/// </summary>
/// <remarks>
/// Reads of a log pass through here, too; pages are read through devices. Implementations are thread-safe. Every method fails with an <see cref="IOException"/> or an
/// <see cref="UnauthorizedAccessException"/>; the caller says which index it was about.
/// </remarks>
internal interface IStorageIo
{
    /// <summary>Creates a directory, its parents if need be; one that exists is left as it is.</summary>
    void CreateDirectory(string path);

    /// <summary>
    /// Opens a lock file for reading and writing, for this handle alone, creating it if need be; the lock ends with the handle.
    /// </summary>
    SafeFileHandle OpenLock(string path);

    /// <summary>Creates a file for writing, from front to back or at any place, also while others read it.</summary>
    /// <param name="path">The file; none of that name may exist, unless it is reserved.</param>
    /// <param name="isReserved">Whether this writer has created the file before, empty, to reserve room: then it is opened with its
    /// room.</param>
    /// <param name="reservedBytes">Room to reserve on the disk, where the file system can; 0 for none. The file's length stays 0.</param>
    /// <param name="isDirect">
    /// Whether writes are to go past the page cache, where the file system can: then the address and number of the bytes of every write,
    /// and its place in the
    /// file, are multiples of <see cref="PageCodec.PageUnit"/>.
    /// </param>
    SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect);

    /// <summary>Opens an existing file for writing at any offset.</summary>
    /// <param name="path">The file.</param>
    /// <param name="isDirect">As for <see cref="Create"/>.</param>
    SafeFileHandle OpenForUpdate(string path, bool isDirect);

    /// <summary>Opens an existing file for reading, also while it is written.</summary>
    SafeFileHandle OpenForReading(string path);

    /// <summary>Reads up to as many bytes as the buffer holds; 0 at the end of the file.</summary>
    int Read(SafeFileHandle file, Span<byte> buffer, long offset);

    /// <summary>Writes all of the bytes at an offset. What was not written before it reads as zeros.</summary>
    void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset);

    /// <summary>Gives a file a length; room that was reserved behind it goes back to the disk.</summary>
    void SetLength(SafeFileHandle file, long length);

    /// <summary>Returns once what was written to the file is on disk.</summary>
    void Sync(SafeFileHandle file);

    /// <summary>Gives a file another name in one step; a file that has that name goes.</summary>
    void Rename(string from, string to);

    /// <summary>Deletes a file; none of that name is no error.</summary>
    void Delete(string path);

    /// <summary>Deletes an empty directory.</summary>
    void DeleteDirectory(string path);

    /// <summary>Returns once the directory's names are on disk: what was created, renamed and deleted in it.</summary>
    void SyncDirectory(string path);
}

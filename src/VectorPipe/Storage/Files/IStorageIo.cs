using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Files;

/// <summary>Every write, sync, rename and deletion in an index directory, so that a test can make each step fail.</summary>
/// <remarks>
/// Logs and records are also read through here, other pages through devices. Implementations are thread-safe. Every method fails with an
/// <see cref="IOException"/> or an <see cref="UnauthorizedAccessException"/>; the caller adds the directory.
/// </remarks>
internal interface IStorageIo
{
    /// <summary>By which callers see how long a read took; a simulated storage has its own, so that its runs can be repeated.</summary>
    TimeProvider Clock => TimeProvider.System;

    /// <summary>Creates a directory and its missing parents; leaves an existing one unchanged.</summary>
    void CreateDirectory(string path);

    /// <summary>Opens a lock file exclusively for reading and writing, creating it if necessary; closing the handle releases it.</summary>
    SafeFileHandle OpenLock(string path);

    /// <summary>Creates a file that is written at any offset, and that others may read meanwhile.</summary>
    /// <param name="path">The file; must not exist, unless it is reserved.</param>
    /// <param name="isReserved">Whether this writer has created the file, empty, to reserve room: then it is opened.</param>
    /// <param name="reservedBytes">Room to reserve on the disk, where the file system can; 0 for none. The length stays 0.</param>
    /// <param name="isDirect">Whether to write past the page cache, where the file system can. Then address, length and offset of every
    /// write are multiples of <see cref="PageCodec.PageUnit"/>.</param>
    SafeFileHandle Create(string path, bool isReserved, long reservedBytes, bool isDirect);

    /// <summary>Opens an existing file for writing at any offset.</summary>
    /// <param name="path">The file.</param>
    /// <param name="isDirect">As for <see cref="Create"/>.</param>
    SafeFileHandle OpenForUpdate(string path, bool isDirect);

    /// <summary>Opens an existing file for reading, also while it is written.</summary>
    SafeFileHandle OpenForReading(string path);

    /// <summary>Reads up to as many bytes as the buffer holds; 0 at the end of the file.</summary>
    int Read(SafeFileHandle file, Span<byte> buffer, long offset);

    /// <summary>Has the system begin to read bytes, where it can: a read of them soon after waits for less.</summary>
    void BeginRead(SafeFileHandle file, long offset, int length) => ReadAhead.Begin(file, offset, length);

    /// <summary>Writes all bytes at an offset. A gap before it reads as zeros.</summary>
    void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset);

    /// <summary>Sets the length of a file; room reserved beyond it returns to the disk.</summary>
    void SetLength(SafeFileHandle file, long length);

    /// <summary>Returns when the written bytes are on disk.</summary>
    void Sync(SafeFileHandle file);

    /// <summary>Renames a file in one step, replacing a file of the new name.</summary>
    void Rename(string from, string to);

    /// <summary>Deletes a file if it exists.</summary>
    void Delete(string path);

    /// <summary>Deletes an empty directory.</summary>
    void DeleteDirectory(string path);

    /// <summary>Returns when the directory's names are on disk: those created, renamed and deleted.</summary>
    void SyncDirectory(string path);
}

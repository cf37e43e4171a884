using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Model;

namespace VectorPipe.Bench.Searches;

/// <summary>Removes files from the page cache of the operating system.</summary>
internal static partial class PageCacheEviction
{
    // POSIX_FADV_DONTNEED of posix_fadvise(2).
    private const int DontNeed = 4;

    /// <summary>Drops the clean pages of an index's files. Direct reads are not affected.</summary>
    public static void Drop(IndexInfo index)
    {
        UsageException.Require(OperatingSystem.IsLinux(), "--cold", RuntimeInformation.OSDescription, "Linux");
        foreach (IndexFileInfo file in index.Files)
        {
            using SafeFileHandle handle = File.OpenHandle(Path.Combine(index.Directory, file.Name));
            int error = Advise(handle, 0, 0, DontNeed);
            if (error != 0)
                throw new IOException($"{file.Name}: posix_fadvise failed with errno {error}.");
        }
    }

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int Advise(SafeFileHandle file, nint offset, nint length, int advice);
}

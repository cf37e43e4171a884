using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Model;

namespace VectorPipe.Bench.Searches;

/// <summary>Asks the operating system to forget what it caches of files.</summary>
internal static partial class PageCacheEviction
{
    /// <summary>POSIX_FADV_DONTNEED of posix_fadvise(2).</summary>
    private const int DontNeed = 4;

    /// <summary>Drops clean pages of an index's files from the page cache. Reads past the page cache are not affected either way.</summary>
    /// <exception cref="UsageException">This operating system has no such call.</exception>
    /// <exception cref="IOException">It refused.</exception>
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

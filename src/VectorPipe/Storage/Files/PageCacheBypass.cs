using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Storage.Files;

/// <summary>
/// Makes writes to an open file go past the page cache, and undoes it: the <c>O_DIRECT</c> flag of fcntl(2), on Linux alone.
/// </summary>
internal static class PageCacheBypass
{
    /// <summary>
    /// Asks for direct writes. A file system that has none refuses here, or at the first write: then writes go through the page cache.
    /// </summary>
    public static void Enable(SafeFileHandle file)
    {
        // Set behind the opening, so that the runtime's own way of creating, locking and reserving stays the only one.
        if (Libc.IsSupported && Libc.Fcntl(file, Libc.F_GETFL, 0) is var flags and >= 0)
            _ = Libc.Fcntl(file, Libc.F_SETFL, flags | Libc.O_DIRECT);
    }

    /// <summary>Goes back to writes through the page cache.</summary>
    /// <returns>False if writes have gone through it anyway.</returns>
    public static bool TryDisable(SafeFileHandle file) =>
        Libc.IsSupported
        && Libc.Fcntl(file, Libc.F_GETFL, 0) is var flags and >= 0
        && (flags & Libc.O_DIRECT) != 0
        && Libc.Fcntl(file, Libc.F_SETFL, flags & ~Libc.O_DIRECT) == 0;
}

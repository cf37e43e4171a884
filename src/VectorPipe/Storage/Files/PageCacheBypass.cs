using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Storage.Files;

/// <summary>Makes writes to an open file bypass the page cache: the <c>O_DIRECT</c> flag of fcntl(2), on Linux only.</summary>
internal static class PageCacheBypass
{
    /// <summary>Requests direct writes. A file system without them refuses here or at the first write; writes use the cache then.</summary>
    public static void Enable(SafeFileHandle file)
    {
        // Set after opening, so that the runtime alone creates, locks and reserves files.
        if (Libc.IsSupported && Libc.Fcntl(file, Libc.F_GETFL, 0) is var flags and >= 0)
            _ = Libc.Fcntl(file, Libc.F_SETFL, flags | Libc.O_DIRECT);
    }

    /// <summary>Returns to writes through the page cache; false if they have gone through it anyway.</summary>
    public static bool TryDisable(SafeFileHandle file) =>
        Libc.IsSupported
        && Libc.Fcntl(file, Libc.F_GETFL, 0) is var flags and >= 0
        && (flags & Libc.O_DIRECT) != 0
        && Libc.Fcntl(file, Libc.F_SETFL, flags & ~Libc.O_DIRECT) == 0;
}

using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Storage.Files;

/// <summary>Lets the operating system begin reads for which blocking reads ask soon: posix_fadvise(2), on Linux only.</summary>
internal static class ReadAhead
{
    /// <summary>Begins to read a part of a file into the page cache, and does not wait for it. An error has no consequence.</summary>
    public static void Begin(SafeFileHandle file, long offset, int length)
    {
        if (Libc.IsSupported)
            _ = Libc.Fadvise(file, offset, length, Libc.POSIX_FADV_WILLNEED);
    }
}

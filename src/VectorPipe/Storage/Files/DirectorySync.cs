using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Storage.Files;

/// <summary>Makes renames durable: Unix syncs a directory like a file; elsewhere the file system does it with the rename.</summary>
internal static partial class DirectorySync
{
    /// <summary>Returns when the names in the directory are on disk.</summary>
    public static void Flush(string directory)
    {
        if (OperatingSystem.IsWindows())
            return;
        using SafeFileHandle handle = RegularFile.OpenFolder(directory);
        int result;
        do
        {
            result = FSync(handle);
        }
        while (result < 0 && Marshal.GetLastPInvokeError() == Errno.EINTR);
        if (result < 0)
            throw new IOException($"Syncing directory {directory} failed: {Marshal.GetLastPInvokeErrorMessage()}.");
    }

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int FSync(SafeFileHandle descriptor);
}

using System.Runtime.InteropServices;

namespace VectorPipe.Server.Sets;

/// <summary>Makes names in a folder durable: a file that was synced can still lose its name with the power.</summary>
internal static partial class DirectorySync
{
    private const int ReadOnly = 0;

    /// <summary>Returns when names that were made or removed in a folder are on disk. Windows does so by itself.</summary>
    /// <exception cref="IOException">The folder cannot be opened or synced.</exception>
    public static void Sync(string folder)
    {
        if (OperatingSystem.IsWindows())
            return;
        int file = Open(folder, ReadOnly);
        if (file < 0)
            throw Failed(folder, "opened");
        try
        {
            if (FSync(file) != 0)
                throw Failed(folder, "synced");
        }
        finally
        {
            _ = Close(file);
        }
    }

    private static IOException Failed(string folder, string what) =>
        new($"{folder}: expected a folder that can be {what}: {Marshal.GetLastPInvokeErrorMessage()}");

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int FSync(int file);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int file);
}

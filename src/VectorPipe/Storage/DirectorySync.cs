using System.Runtime.InteropServices;

namespace VectorPipe.Storage;

/// <summary>Makes a rename durable: on Unix a directory is synced like a file; elsewhere the file system does it with the rename.</summary>
internal static partial class DirectorySync
{
    private const int ReadOnly = 0;

    /// <summary>Returns once the entries of the directory are on disk.</summary>
    /// <exception cref="IOException">The operating system refused.</exception>
    public static void Flush(string directory)
    {
        if (OperatingSystem.IsWindows())
            return;
        int descriptor = Open(directory, ReadOnly);
        if (descriptor < 0)
            throw new IOException($"Opening directory {directory} to sync it failed: {Marshal.GetLastPInvokeErrorMessage()}.");
        int result = FSync(descriptor);
        int error = Marshal.GetLastPInvokeError();
        _ = Close(descriptor);
        if (result < 0)
            throw new IOException($"Syncing directory {directory} failed: {Marshal.GetPInvokeErrorMessage(error)}.");
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int FSync(int descriptor);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    private static partial int Close(int descriptor);
}

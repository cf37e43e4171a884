using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices;

/// <summary>Opens files for reading and refuses everything that is no file: folders, pipes, sockets, terminals.</summary>
/// <remarks>
/// Opening a pipe in the usual way waits until somebody writes to it. On Unix no advisory lock is taken either, so the lock file of a
/// writer can be read.
/// </remarks>
internal static unsafe partial class RegularFile
{
    private static int NonBlockingAndCloseOnExec =>
        OperatingSystem.IsLinux() ? 0x800 | Libc.O_CLOEXEC : OperatingSystem.IsFreeBSD() ? 0x4 | 0x10_0000 : 0x4 | 0x100_0000;

    /// <summary>Opens a file.</summary>
    /// <exception cref="FileNotFoundException">There is none of this name.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read, or is a folder.</exception>
    /// <exception cref="IOException">It is no regular file, or cannot be opened.</exception>
    public static SafeFileHandle Open(string path)
    {
        SafeFileHandle file = OperatingSystem.IsWindows()
            ? File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete)
            : OpenUnix(path);
        try
        {
            if ((File.GetAttributes(path) & FileAttributes.Directory) != 0)
                throw new UnauthorizedAccessException($"'{path}' is a folder.");

            // Only what has a length can be read at an offset.
            _ = RandomAccess.GetLength(file);
            return file;
        }
        catch (Exception e)
        {
            file.Dispose();
            if (e is NotSupportedException)
                throw new IOException($"'{path}' is no regular file.", e);
            throw;
        }
    }

    /// <summary>Opens a folder, to sync it. Not on Windows.</summary>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    /// <exception cref="IOException">It cannot be opened.</exception>
    public static SafeFileHandle OpenFolder(string path) => OpenUnix(path);

    private static SafeFileHandle OpenUnix(string path)
    {
        byte[] name = new byte[Encoding.UTF8.GetByteCount(path) + 1];
        Encoding.UTF8.GetBytes(path, name);
        int descriptor, error;
        fixed (byte* first = name)
        {
            do
            {
                descriptor = OpenFile(first, Libc.O_RDONLY | NonBlockingAndCloseOnExec);
                error = Marshal.GetLastPInvokeError();
            }
            while (descriptor < 0 && error == Errno.EINTR);
        }

        if (descriptor >= 0)
            return new SafeFileHandle(descriptor, ownsHandle: true);
        string what = $"Opening '{path}' failed: {Marshal.GetPInvokeErrorMessage(error)}.";
        throw error switch
        {
            Errno.ENOENT => new FileNotFoundException(what, path),
            Errno.EACCES or Errno.EPERM => new UnauthorizedAccessException(what),
            _ => new IOException(what),
        };
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true)]
    private static partial int OpenFile(byte* path, int flags);
}

using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices;

/// <summary>Opens regular files for reading and refuses everything else: folders, pipes, sockets, terminals.</summary>
/// <remarks>
/// An ordinary open of a pipe waits until a process writes to it. On Unix this class takes no advisory lock, so it can read the lock file
/// of a writer.
/// </remarks>
internal static class RegularFile
{
    private static int NonBlockingAndCloseOnExec =>
        OperatingSystem.IsLinux() ? 0x800 | Libc.O_CLOEXEC : OperatingSystem.IsFreeBSD() ? 0x4 | 0x10_0000 : 0x4 | 0x100_0000;

    /// <exception cref="FileNotFoundException">There is no file of this name.</exception>
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

            // Only a file with a length can be read at an offset.
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
    public static SafeFileHandle OpenFolder(string path) => OpenUnix(path);

    private static SafeFileHandle OpenUnix(string path)
    {
        int descriptor = Libc.Open(path, Libc.O_RDONLY | NonBlockingAndCloseOnExec);
        if (descriptor >= 0)
            return new SafeFileHandle(descriptor, ownsHandle: true);
        string message = $"Opening '{path}' failed: {Marshal.GetPInvokeErrorMessage(-descriptor)}.";
        throw -descriptor switch
        {
            Errno.ENOENT => new FileNotFoundException(message, path),
            Errno.EACCES or Errno.EPERM => new UnauthorizedAccessException(message),
            _ => new IOException(message),
        };
    }
}

using Microsoft.Win32.SafeHandles;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Portable;

/// <summary>One blocking read, with its exceptions turned into error numbers.</summary>
internal static unsafe class BlockingRead
{
    /// <summary>Returns the bytes read, or -errno. Does not throw for errors of the operating system.</summary>
    public static int Read(SafeFileHandle file, DeviceRead read)
    {
        try
        {
            return RandomAccess.Read(file, new Span<byte>((void*)read.Address, read.Length), read.Offset);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or OperationCanceledException
            or ObjectDisposedException or ArgumentException or NotSupportedException)
        {
            return -ToErrno(e);
        }
    }

    /// <summary>The errno behind an exception of the file calls; EIO if there is none.</summary>
    /// <remarks>On Unix the runtime stores the raw errno as the HResult; Windows codes have the high bit set.</remarks>
    public static int ToErrno(Exception error) => error switch
    {
        UnauthorizedAccessException { InnerException: IOException { HResult: > 0 and < 4096 } inner } => inner.HResult,
        UnauthorizedAccessException => Errno.EACCES,
        OperationCanceledException => Errno.ECANCELED,
        ObjectDisposedException => Errno.EBADF,
        ArgumentException => Errno.EINVAL,
        NotSupportedException => Errno.EOPNOTSUPP,
        IOException { HResult: > 0 and < 4096 } => error.HResult,
        _ => Errno.EIO,
    };
}

using VectorPipe.Model.Errors;

namespace VectorPipe;

/// <summary>A device could not be opened, set up, or read.</summary>
public sealed class DeviceException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public DeviceException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">The operation, the file, and the result.</param>
    public DeviceException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause; if the cause is a device error, its errno is kept.</summary>
    /// <param name="message">The operation, the file, and the result.</param>
    /// <param name="innerException">The cause.</param>
    public DeviceException(string message, Exception? innerException)
        : base(message, innerException) => ErrorNumber = (innerException as DeviceException)?.ErrorNumber ?? 0;

    /// <summary>Creates an error from an errno.</summary>
    /// <param name="message">The operation and the file.</param>
    /// <param name="errno">The positive error number of the operating system.</param>
    public DeviceException(string message, int errno)
        : base($"{message}: {Errno.Describe(errno)}") => ErrorNumber = errno;

    /// <summary>The positive errno of the operating system; 0 if the error did not come from it.</summary>
    public int ErrorNumber { get; }
}

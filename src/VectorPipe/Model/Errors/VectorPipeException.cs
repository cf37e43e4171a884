namespace VectorPipe;

/// <summary>
/// Base of every error that VectorPipe reports about data, files or devices. Misuse of the API itself (a null argument, a
/// disposed object, a cancelled token) is reported by the framework's own exception types instead.
/// </summary>
/// <remarks>The message alone says what was expected, what was found, and where: file, page, offset or option name.</remarks>
public class VectorPipeException : Exception
{
    /// <summary>Creates an error without a message.</summary>
    public VectorPipeException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">What was expected, what was found, and where.</param>
    public VectorPipeException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">What was expected, what was found, and where.</param>
    /// <param name="innerException">The cause.</param>
    public VectorPipeException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}

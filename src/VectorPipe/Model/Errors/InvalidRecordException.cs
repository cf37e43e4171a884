namespace VectorPipe;

/// <summary>A record's key or attributes are refused: too long, no text, or not as the schema has them.</summary>
public sealed class InvalidRecordException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public InvalidRecordException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">Which key or attribute, what was expected and what was found.</param>
    public InvalidRecordException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">Which key or attribute, what was expected and what was found.</param>
    /// <param name="innerException">The cause.</param>
    public InvalidRecordException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}

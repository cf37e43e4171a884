namespace VectorPipe;

/// <summary>A filter is refused: its text is none, a value cannot be compared, or the schema has no such attribute.</summary>
public sealed class InvalidFilterException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public InvalidFilterException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">Which attribute or which place, what was expected and what was found.</param>
    public InvalidFilterException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">Which attribute or which place, what was expected and what was found.</param>
    /// <param name="innerException">The cause.</param>
    public InvalidFilterException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Where in the text the error is, in UTF-16 code units from its start; null for a filter that is no text.</summary>
    public int? Position { get; internal init; }
}

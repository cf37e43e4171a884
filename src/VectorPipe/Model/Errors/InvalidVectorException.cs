namespace VectorPipe;

/// <summary>A vector is refused: NaN or infinity, a wrong dimension, only zeros under the cosine metric, a key used twice.</summary>
public sealed class InvalidVectorException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public InvalidVectorException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">What was expected, what was found, and in which row.</param>
    public InvalidVectorException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">What was expected, what was found, and in which row.</param>
    /// <param name="innerException">The cause.</param>
    public InvalidVectorException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Creates an error about one row of the input.</summary>
    /// <param name="row">The row, from 0.</param>
    /// <param name="message">What was expected and what was found.</param>
    public InvalidVectorException(long row, string message)
        : base($"Row {row}: {message}") => Row = row;

    /// <summary>The row of the input, from 0, if it is known.</summary>
    public long? Row { get; }
}

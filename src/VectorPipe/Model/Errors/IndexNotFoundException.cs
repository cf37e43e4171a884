namespace VectorPipe;

/// <summary>A directory holds no finished index.</summary>
public sealed class IndexNotFoundException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public IndexNotFoundException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">Which directory, and what it lacks.</param>
    public IndexNotFoundException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">Which directory, and what it lacks.</param>
    /// <param name="innerException">The cause.</param>
    public IndexNotFoundException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}

namespace VectorPipe;

/// <summary>
/// An index could not be written: the disk is full, the directory is read-only, another writer holds it. What was there before is
/// untouched, and what was half-written is removed.
/// </summary>
public sealed class IndexWriteException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public IndexWriteException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">Which file or directory, and what went wrong.</param>
    public IndexWriteException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">Which file or directory, and what went wrong.</param>
    /// <param name="innerException">The cause.</param>
    public IndexWriteException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}

namespace VectorPipe;

/// <summary>An index could not be written: for example the disk is full, or another writer holds the directory.</summary>
/// <remarks>An index that was in the directory before is untouched.</remarks>
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

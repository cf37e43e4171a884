namespace VectorPipe.Conformance;

/// <summary>A device breaks a promise; the message says which, what was expected, and what was found.</summary>
public sealed class ConformanceException : Exception
{
    /// <summary>Creates an error without details.</summary>
    public ConformanceException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">What was expected, and what was found.</param>
    public ConformanceException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">What was expected, and what was found.</param>
    /// <param name="innerException">The cause.</param>
    public ConformanceException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}

namespace VectorPipe.Quantization;

/// <summary>Stored bytes that should hold a product quantizer do not.</summary>
internal sealed class QuantizerFormatException : VectorPipeException
{
    /// <summary>Creates an error without a message.</summary>
    public QuantizerFormatException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">What was expected, what was found, and where.</param>
    public QuantizerFormatException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">What was expected, what was found, and where.</param>
    /// <param name="innerException">The cause.</param>
    public QuantizerFormatException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}

namespace VectorPipe;

/// <summary>A vector or ground-truth file does not match its format, or the caller's expectation.</summary>
/// <remarks>A missing file or a denied permission is reported by the framework's own exceptions, which name the path.</remarks>
public sealed class VectorFormatException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public VectorFormatException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">What was expected, what was found, and where.</param>
    public VectorFormatException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">What was expected, what was found, and where.</param>
    /// <param name="innerException">The cause.</param>
    public VectorFormatException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Creates an error about the bytes of a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="offset">Bytes from the start of the file to what is wrong.</param>
    /// <param name="expected">What should stand there.</param>
    /// <param name="found">What stands there.</param>
    public VectorFormatException(string path, long offset, string expected, string found)
        : base($"'{path}', byte {offset}: expected {expected}; found {found}.")
    {
        Path = path;
        Offset = offset;
    }

    private VectorFormatException(string path, string message)
        : base(message) => Path = path;

    /// <summary>The file; empty if the error was created without one.</summary>
    public string Path { get; } = "";

    /// <summary>Bytes from the start of the file to what is wrong; 0 when it is not the bytes but the file's name or nature.</summary>
    public long Offset { get; }

    /// <summary>An error about a file as a whole: its name, its kind, or what it is asked to hold.</summary>
    internal static VectorFormatException ForFile(string path, string expected, string found) =>
        new(path, $"'{path}': expected {expected}; found {found}.");
}

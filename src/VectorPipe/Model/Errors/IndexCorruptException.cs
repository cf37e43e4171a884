namespace VectorPipe;

/// <summary>An index is damaged: the message names the file, the page, the expected and the found content.</summary>
public sealed class IndexCorruptException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public IndexCorruptException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">What was expected, what was found, and where.</param>
    public IndexCorruptException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">What was expected, what was found, and where.</param>
    /// <param name="innerException">The cause.</param>
    public IndexCorruptException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Creates an error about a whole file.</summary>
    /// <param name="file">The file's path.</param>
    /// <param name="what">What was expected and what was found.</param>
    public IndexCorruptException(string file, string what)
        : base($"{file}: {what}.") => File = file;

    /// <summary>Creates an error about one page.</summary>
    /// <param name="file">The file's path.</param>
    /// <param name="page">The page's number in the file.</param>
    /// <param name="what">What was expected and what was found.</param>
    public IndexCorruptException(string file, long page, string what)
        : base($"{file}, page {page}: {what}.")
    {
        File = file;
        Page = page;
    }

    /// <summary>Path of the damaged file, if it is known.</summary>
    public string? File { get; }

    /// <summary>Number of the damaged page in the file, if it is known.</summary>
    public long? Page { get; }
}

namespace VectorPipe.Measuring;

/// <summary>The arguments do not make sense, alone or together with the files they name.</summary>
internal sealed class UsageException : Exception
{
    /// <summary>Creates an error.</summary>
    /// <param name="message">The option, what was expected and what was found.</param>
    public UsageException(string message)
        : base(message)
    {
    }

    /// <summary>Throws unless an option is in its range.</summary>
    /// <param name="valid">Whether it is.</param>
    /// <param name="option">The option as the user wrote it.</param>
    /// <param name="value">What was found.</param>
    /// <param name="expected">What was expected, in words.</param>
    /// <exception cref="UsageException">The option is not in its range.</exception>
    public static void Require(bool valid, string option, object? value, string expected)
    {
        if (!valid)
            throw new UsageException($"{option}: expected {expected}; found {value}.");
    }
}

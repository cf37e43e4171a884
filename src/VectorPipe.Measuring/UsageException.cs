namespace VectorPipe.Measuring;

/// <summary>An argument is invalid, alone or together with others or with the files that they name.</summary>
internal sealed class UsageException : Exception
{
    /// <param name="message">Option, expectation and finding.</param>
    /// <param name="cause">The error that shows it; null for none.</param>
    public UsageException(string message, Exception? cause = null)
        : base(message, cause)
    {
    }

    /// <summary>Throws unless an option is valid.</summary>
    /// <param name="expected">The valid values, in words.</param>
    public static void Require(bool valid, string option, object? value, string expected)
    {
        if (!valid)
            throw new UsageException($"{option}: expected {expected}; found {value}.");
    }
}

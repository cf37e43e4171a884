namespace VectorPipe.Model.Errors;

/// <summary>One wording for options and arguments that are out of their range.</summary>
internal static class Require
{
    /// <summary>Throws unless an option is in its range.</summary>
    /// <param name="valid">Whether it is.</param>
    /// <param name="name">The option's name, as the user wrote it.</param>
    /// <param name="value">What was found.</param>
    /// <param name="expected">What was expected, in words.</param>
    /// <exception cref="ArgumentOutOfRangeException">The option is not in its range.</exception>
    public static void That(bool valid, string name, object? value, string expected)
    {
        if (!valid)
            throw Violated(name, value, expected);
    }

    /// <summary>The error for an option that is not in its range, for checks that must not allocate when all is well.</summary>
    public static ArgumentOutOfRangeException Violated(string name, object? value, string expected) =>
        new(name, value, $"Expected {expected}.");
}

using System.Text;

namespace VectorPipe.Measuring;

/// <summary>Turns an exception into what the user sees of it: one line and an exit code.</summary>
internal static class Failure
{
    /// <summary>The exit code that stands for an error.</summary>
    public static int ExitCodeOf(Exception error) => error switch
    {
        OperationCanceledException => ExitCodes.Cancelled,
        IndexCorruptException => ExitCodes.FailedVerification,
        UsageException or VectorFormatException or InvalidVectorException or ArgumentException => ExitCodes.BadInput,
        IndexNotFoundException or IndexWriteException or DeviceException => ExitCodes.CannotReadOrWrite,
        IOException or UnauthorizedAccessException or TimeoutException => ExitCodes.CannotReadOrWrite,
        _ => ExitCodes.Unexpected,
    };

    /// <summary>The error in one line.</summary>
    /// <param name="error">The error.</param>
    /// <param name="verb">The verb that ran: it says which option a library option was set by.</param>
    /// <param name="optionNames">Options of this program whose names do not follow from the library's; may be null.</param>
    public static string Describe(Exception error, string verb, IReadOnlyDictionary<string, string>? optionNames = null) =>
        OneLine(error switch
        {
            OperationCanceledException => "cancelled.",
            ArgumentOutOfRangeException range when range.ParamName is { } name =>
                (optionNames?.GetValueOrDefault(name) ?? OptionName(name, verb))
                + $": {WithoutParameter(range.Message)} Found {range.ActualValue}.",
            ArgumentException argument => WithoutParameter(argument.Message),
            _ when ExitCodeOf(error) == ExitCodes.Unexpected => $"unexpected {error.GetType().Name}: {error.Message}",
            _ => error.Message,
        });

    /// <summary>Folds line breaks, and the blanks around them, into single spaces.</summary>
    public static string OneLine(string text) =>
        string.Join(' ', text.Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));

    /// <summary>The framework appends the parameter and the actual value to messages; the tool says both in its own words.</summary>
    private static string WithoutParameter(string message)
    {
        int at = message.IndexOf(" (Parameter '", StringComparison.Ordinal);
        return at < 0 ? message : message[..at];
    }

    private static string OptionName(string property, string verb) => (verb, property) switch
    {
        (_, "k") => "-k",
        (_, "MaxDegree") => "--degree",
        (_, "SearchThreads") => "--threads",
        (_, "CacheBytes") => "--cache-mb",
        (_, "MemoryBudget") => "--memory",
        (_, "CodedLists" or "Coded") => "--coded-lists",
        (_, "PageElementType") => "--page-vectors",
        ("build", "ListSize") => "--build-list-size",
        _ => Kebab(property),
    };

    private static string Kebab(string property)
    {
        var name = new StringBuilder("-");
        foreach (char c in property)
        {
            if (char.IsUpper(c) || name.Length == 1)
                name.Append('-');
            name.Append(char.ToLowerInvariant(c));
        }

        return name.ToString();
    }
}

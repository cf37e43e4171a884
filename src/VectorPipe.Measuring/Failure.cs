using System.Text.Json;

namespace VectorPipe.Measuring;

/// <summary>Turns an exception into one line and an exit code.</summary>
internal static class Failure
{
    public static int ExitCodeOf(Exception error) => error switch
    {
        OperationCanceledException => ExitCodes.Cancelled,
        IndexCorruptException => ExitCodes.FailedVerification,
        UsageException or VectorFormatException or ArgumentException => ExitCodes.BadInput,
        InvalidVectorException or InvalidRecordException or InvalidFilterException => ExitCodes.BadInput,
        IndexNotFoundException or IndexWriteException or DeviceException => ExitCodes.CannotReadOrWrite,
        IOException or UnauthorizedAccessException or TimeoutException => ExitCodes.CannotReadOrWrite,
        _ => ExitCodes.Unexpected,
    };

    /// <summary>Describes an error in one line, with the program's name of the option that caused it.</summary>
    /// <param name="verb">The verb that ran: names of options depend on it.</param>
    /// <param name="optionNames">Names of options that differ from the library's, by the library's name; may be null.</param>
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

    /// <summary>Replaces line breaks, and the blanks around them, by single spaces.</summary>
    public static string OneLine(string text) =>
        string.Join(' ', text.Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));

    // The framework appends the parameter and the actual value to messages; Describe states both itself.
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
        _ => "--" + JsonNamingPolicy.KebabCaseLower.ConvertName(property),
    };
}

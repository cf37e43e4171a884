using System.Collections;
using System.Globalization;
using CommandLine;

namespace VectorPipe.Measuring;

/// <summary>An option of a verb, or a value without a name, as its arguments declare it.</summary>
/// <param name="Name">With its dashes; the name of a value.</param>
/// <param name="Purpose">What it is for.</param>
/// <param name="Help">The same, after whether it is required, or its default.</param>
/// <param name="IsFlag">Whether it has no value.</param>
/// <param name="IsExtra">Whether only the whole help shows it.</param>
internal sealed record CommandOption(string Name, string Purpose, string Help, bool IsFlag, bool IsExtra)
{
    public static CommandOption Of(OptionAttribute option, Type type) => new(
        string.IsNullOrEmpty(option.LongName) ? $"-{option.ShortName}" : $"--{option.LongName}",
        option.HelpText, Describe(option.Required, option.Default, option.HelpText), type == typeof(bool), option.Hidden);

    public static CommandOption Of(ValueAttribute value) =>
        new(value.MetaName, value.HelpText, Describe(value.Required, value.Default, value.HelpText), IsFlag: false, value.Hidden);

    private static string Describe(bool isRequired, object? usual, string help)
    {
        // Several values are separated as on the command line.
        string value = usual is IEnumerable many and not string
            ? string.Join(',', many.Cast<object>().Select(one => string.Create(CultureInfo.InvariantCulture, $"{one}")))
            : string.Create(CultureInfo.InvariantCulture, $"{usual}");
        return (isRequired ? "Required. " : value.Length == 0 ? "" : $"(Default: {value}) ") + help;
    }
}

namespace VectorPipe.Measuring;

/// <summary>Help texts: of a program with its verbs, and of a verb with its options.</summary>
/// <param name="program">Name of the program.</param>
internal sealed class HelpPage(string program)
{
    /// <summary>The option that shows all options of a verb.</summary>
    public const string AllOption = "--help-all";

    /// <summary>The options that show those of a verb.</summary>
    public static IReadOnlyList<CommandOption> Options { get; } =
    [
        new("--help", "Show the options.", "", IsFlag: true, IsExtra: false),
        new(AllOption, "Show all options.", "", IsFlag: true, IsExtra: false),
    ];

    private const int Width = 120;
    private const int Indent = 2;
    private const int Gap = 2;

    /// <summary>The verbs, in groups.</summary>
    /// <param name="heading">The first line.</param>
    public IEnumerable<string> OfProgram(string heading, IEnumerable<VerbGroup> groups)
    {
        yield return heading;
        foreach (VerbGroup group in groups)
        {
            yield return "";
            yield return $"{group.Heading}:";
            foreach (string line in Columns(group.Arguments.Select(CommandVerb.Of).Select(verb => (verb.Name, FirstSentence(verb.Help)))))
                yield return line;
        }

        yield return "";
        yield return $"'{program} VERB --help' shows the options of a verb.";
        foreach (string line in ExitCodes.Descriptions.Prepend(""))
            yield return line;
    }

    /// <summary>The options of a verb.</summary>
    /// <param name="isWhole">Whether to show those that few users need, too.</param>
    public IEnumerable<string> OfVerb(CommandVerb verb, bool isWhole)
    {
        foreach (string line in Wrap($"{program} {verb.Name}: {verb.Help}", Width))
            yield return line;
        yield return "";
        CommandOption[] shown = [.. verb.Values.Concat(verb.Options).Where(option => isWhole || !option.IsExtra)];
        foreach (string line in Columns(shown.Select(option => (option.Name, option.Help))))
            yield return line;
        int extra = verb.Options.Count(option => option.IsExtra);
        if (extra > 0 && !isWhole)
            yield return $"  {extra} more for experts: {AllOption}";
        foreach (string line in ExitCodes.Descriptions.Prepend(""))
            yield return line;
    }

    /// <summary>A text up to the end of its first sentence.</summary>
    public static string FirstSentence(string text)
    {
        int end = text.IndexOf(". ", StringComparison.Ordinal);
        return end < 0 ? text : text[..(end + 1)];
    }

    private static IEnumerable<string> Columns(IEnumerable<(string Name, string Text)> rows)
    {
        (string Name, string Text)[] all = [.. rows];
        int column = Indent + Gap + all.Max(row => row.Name.Length);
        foreach ((string name, string text) in all)
        {
            string start = $"{new string(' ', Indent)}{name}".PadRight(column);
            foreach (string line in Wrap(text, Width - column))
            {
                yield return start + line;
                start = new string(' ', column);
            }
        }
    }

    private static IEnumerable<string> Wrap(string text, int width)
    {
        while (text.Length > width)
        {
            int end = text.LastIndexOf(' ', width);
            if (end <= 0)
                break;
            yield return text[..end];
            text = text[(end + 1)..];
        }

        yield return text;
    }
}

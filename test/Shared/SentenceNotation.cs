using System.Text.RegularExpressions;

namespace VectorPipe.TestHost;

/// <summary>Makes commands whole that sentences of pages name.</summary>
/// <param name="Values">What a word, or an option and a word, stands for.</param>
/// <param name="Missing">By verb, the arguments that a sentence leaves out, unless it has the first of them.</param>
internal sealed partial record SentenceNotation(
    IReadOnlyDictionary<string, string> Values, IReadOnlyDictionary<string, string[]> Missing)
{
    /// <summary>The arguments of a command, verb first.</summary>
    public string[] Arguments(PageCommand command)
    {
        // What may be left out is given, but for the rest of a list; of several values, the first one is taken.
        string[] words = ShellLine.Parse(Brackets().Replace(RestOfList().Replace(command.Text, ""), "")).Words[1..];
        string[] whole = [.. words.Select((word, at) => ValueOf(at > 0 ? words[at - 1] : "", word))];
        return Missing.TryGetValue(whole[0], out string[]? missing) && !whole.Contains(missing[0]) ? [.. whole, .. missing] : whole;
    }

    private string ValueOf(string before, string word) =>
        Values.TryGetValue($"{before} {word}", out string? value) || Values.TryGetValue(word, out value) ? value : word.Split('|')[0];

    [GeneratedRegex(@"\[,[^\]]*\]")]
    private static partial Regex RestOfList();

    [GeneratedRegex(@"[\[\]]")]
    private static partial Regex Brackets();
}

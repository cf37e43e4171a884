using System.Text.RegularExpressions;

namespace VectorPipe.Bench.Tests.Documentation;

/// <summary>Commands that sentences of pages name, made whole: what they leave out for a reader, and what stands for something else.</summary>
internal static partial class SentenceCommand
{
    // A machine of tests may have no io_uring. F is the file that the option before it is for.
    private static readonly Dictionary<string, string> _values = new()
    {
        ["A.json"] = "before-1.json",
        ["B.json"] = "after-1.json",
        ["--base F"] = "base.u8bin",
        ["--query F"] = "query.u8bin",
        ["C"] = "16",
        ["CALLERS"] = "2",
        ["I"] = "index",
        ["N"] = "500",
        ["R"] = "1000",
        ["S"] = "0.1",
        ["THREADS"] = "1",
        ["--target-recall ..."] = "0.9",
        ["--device uring"] = "auto",
    };

    // The data of verbs, which the page gives for the chapter or with another command of it.
    private static readonly Dictionary<string, string[]> _data = new()
    {
        ["build"] = ["--dataset", "base.u8bin", "--query", "query.u8bin", "--truth", "truth.bin"],
        ["get"] = ["-n", "1000"],
        ["search"] = ["--dataset", "photosift"],
    };

    /// <summary>The arguments of a command, verb first.</summary>
    public static string[] Arguments(PageCommand command)
    {
        // What may be left out is given, but for the rest of a list; of several values, the first one is taken.
        string[] words = RestOfList().Replace(command.Text, "").Split([' ', '[', ']'], StringSplitOptions.RemoveEmptyEntries)[1..];
        string[] whole =
        [
            .. words.Select((word, at) =>
                at > 0 && _values.TryGetValue($"{words[at - 1]} {word}", out string? value) ? value
                : _values.TryGetValue(word, out value) ? value
                : word.Split('|')[0]),
        ];
        return _data.TryGetValue(whole[0], out string[]? data) && !whole.Contains(data[0]) ? [.. whole, .. data] : whole;
    }

    [GeneratedRegex(@"\[,[^\]]*\]")]
    private static partial Regex RestOfList();
}

using System.Text.RegularExpressions;
using NUnit.Framework;

namespace VectorPipe.TestHost;

/// <summary>A command that a page shows in a block of <c>sh</c>: a line with those that continue it.</summary>
/// <param name="Page">The path in the repository.</param>
/// <param name="Line">The line of the page on which it begins, from 1.</param>
/// <param name="Text">As a shell takes it.</param>
internal sealed partial record PageCommand(string Page, int Line, string Text)
{
    private const string Fence = "```";

    /// <summary>The program that it runs, or the first of several.</summary>
    public string Program => Text.Split(' ', 2)[0];

    /// <summary>The commands of all pages, page by page, in their order.</summary>
    public static PageCommand[] All() => [.. Repository.Pages.SelectMany(Of)];

    /// <summary>The commands of a page in their order.</summary>
    public static PageCommand[] Of(string page)
    {
        var commands = new List<PageCommand>();
        string? language = null, text = null;
        int number = 0, first = 0;
        foreach (string line in Repository.Read(page).ReplaceLineEndings("\n").Split('\n'))
        {
            number++;
            if (line.StartsWith(Fence, StringComparison.Ordinal))
            {
                if (text is not null)
                    throw new InvalidDataException($"{page}:{first}: expected a whole command, found the end of its block after {text}");
                language = language is null ? line[Fence.Length..].Trim() : null;
                continue;
            }

            if (language != "sh" || (text is null && line.Length == 0))
                continue;
            if (text is null)
                first = number;
            text = text is null ? line : $"{text}\n{line}";
            if (ShellLine.IsWhole(text))
            {
                commands.Add(new PageCommand(page, first, text));
                text = null;
            }
        }

        return [.. commands];
    }

    /// <summary>The commands of a program that sentences of all pages name, which may leave words out or stand some for others.</summary>
    public static PageCommand[] InSentences(string program) =>
    [
        .. from page in Repository.Pages
           let text = Block().Replace(
               Repository.Read(page).ReplaceLineEndings("\n"), block => new string('\n', block.Value.Count(letter => letter == '\n')))
           from match in Code().Matches(text)
           let code = string.Join(' ', match.Groups["code"].Value.Split([' ', '\n'], StringSplitOptions.RemoveEmptyEntries))
           where code.StartsWith($"{program} ", StringComparison.Ordinal)
           select new PageCommand(page, text[..match.Index].Count(letter => letter == '\n') + 1, code),
    ];

    /// <summary>The words that begin with two dashes, without notation around them.</summary>
    public IEnumerable<string> Options => Text.Split([' ', '\n', '[', ']', '(', ')'])
        .Where(word => word.StartsWith("--", StringComparison.Ordinal) && word.Length > 2);

    /// <summary>Asserts that commands have verbs of a program, and options of these verbs.</summary>
    /// <param name="commands">The commands.</param>
    /// <param name="options">The options of each verb.</param>
    public static void AssertKnown(IEnumerable<PageCommand> commands, IReadOnlyDictionary<string, string[]> options)
    {
        using (Assert.EnterMultipleScope())
        {
            foreach (PageCommand command in commands)
            {
                string verb = command.Text.Split(' ')[1];
                Assert.That(options.Keys, Does.Contain(verb), $"{command}");
                Assert.That(command.Options, Is.SubsetOf(options[verb]), $"{command}");
            }
        }
    }

    public override string ToString() => $"{Page}:{Line}: {Text}";

    [GeneratedRegex(@"^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex(@"`(?<code>[^`]+)`")]
    private static partial Regex Code();
}

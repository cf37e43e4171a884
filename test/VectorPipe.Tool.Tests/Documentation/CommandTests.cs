using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>The commands that README, documents and the package show.</summary>
public sealed class CommandTests
{
    private const string Program = "vectorpipe ";

    [Test]
    public void Commands_use_options_that_their_verbs_have()
    {
        Dictionary<string, CommandVerb> verbs = Cli.Verbs.ToDictionary(verb => verb.Name);
        string[] documents =
        [
            Path.Combine(Repository.Root, "README.md"), Path.Combine(Repository.Root, "src", "VectorPipe.Tool", "PACKAGE.md"),
            .. Directory.EnumerateFiles(Path.Combine(Repository.Root, "docs"), "*.md"),
        ];
        int commands = 0;
        using (Assert.EnterMultipleScope())
        {
            foreach ((string document, string command) in documents.SelectMany(CommandsOf))
            {
                string[] words = command.Split([' ', '[', ']', '(', ')'], StringSplitOptions.RemoveEmptyEntries);
                Assert.That(verbs.Keys, Does.Contain(words[0]), $"{document}: {command}");
                IEnumerable<string> options = words.TakeWhile(word => word is not "|")
                    .Where(word => word.StartsWith("--", StringComparison.Ordinal));
                Assert.That(options, Is.SubsetOf(verbs[words[0]].Options.Select(option => option.Name)), $"{document}: {command}");
                commands++;
            }
        }

        Assert.That(commands, Is.GreaterThan(20));
    }

    [Test]
    public void Commands_in_sentences_use_options_that_their_verbs_have()
    {
        PageCommand[] commands =
        [
            .. PageCommand.InSentences("vectorpipe")
                .Where(command => !command.Text.StartsWith($"{Program}COMMAND ", StringComparison.Ordinal)),
        ];
        Assert.That(commands, Has.Length.GreaterThan(20));
        PageCommand.AssertKnown(
            commands, Cli.Verbs.ToDictionary(verb => verb.Name, verb => verb.Options.Select(option => option.Name).ToArray()));
    }

    // Commands stand at the start of a line, or behind a pipe.
    private static IEnumerable<(string Document, string Command)> CommandsOf(string path) => File.ReadLines(path)
        .Where(line => line.TrimStart().StartsWith(Program, StringComparison.Ordinal)
            || line.Contains($"| {Program}", StringComparison.Ordinal) || line.Contains($"<({Program}", StringComparison.Ordinal))
        .SelectMany(line => line.Split(Program)[1..])
        .Select(command => (Path.GetFileName(path), command));
}

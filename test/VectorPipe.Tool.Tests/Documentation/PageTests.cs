using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Programs and commands of the pages for those who begin do what the pages say.</summary>
public sealed class PageTests
{
    private const string Page = "docs/getting-started.md";

    private static readonly string[] _paths =
        ["first-collection", "first-index", "restored-collection", "new-collection", "backups/", "demo", "records.jsonl"];

    [Test]
    public void The_programs_of_the_page_are_samples()
    {
        Assert.That(
            Repository.Read("samples/GettingStarted/Program.cs"), Is.EqualTo(string.Join('\n', Repository.BlocksOf(Page, "csharp"))));
        Assert.That(
            Repository.BlocksOf(Page, "csharp web"), Is.EqualTo(new[] { Repository.Read("samples/GettingStartedWeb/Program.cs") }));

        string service = Repository.Read("samples/AspNetCoreRag/Program.cs") + Repository.Read("samples/AspNetCoreRag/Passage.cs");
        string[] parts = Repository.BlocksOf(Page, "csharp part");
        Assert.That(parts, Has.Length.EqualTo(3));
        foreach (string part in parts)
            Assert.That(service, Does.Contain(part.TrimEnd()));
    }

    [Test]
    public async Task The_program_prints_what_the_page_says_and_the_commands_of_the_pages_run()
    {
        using var folder = new TempFolder();
        SampleRun program = await SampleRun.SucceedAsync(folder.Root, "GettingStarted");
        Assert.That(program.Output, Is.EqualTo(Repository.BlocksOf(Page, "text").Single()));

        var outputs = new List<string>();
        foreach (string page in new[] { Page, "docs/backup-and-upgrade.md", "docs/sizing.md" })
        {
            foreach (string command in CommandsOf(page))
                outputs.Add(await RunAsync(folder, command));
        }

        Assert.That(outputs, Has.Count.EqualTo(21));
        Assert.That(outputs, Has.Some.Contain("book-480").And.Contain("Book number 480"), "vectorpipe query");
        Assert.That(outputs, Has.Some.EqualTo("334\n"), "vectorpipe count of what matches");
        Assert.That(outputs, Has.Some.EqualTo("1000\n"), "vectorpipe count of the copy");
        Assert.That(outputs, Has.Exactly(2).Contain("no defects"), "vectorpipe verify");
        Assert.That(outputs, Has.Exactly(2).Contain("2000 points of dimension 384"), "vectorpipe build --plan");
    }

    private static IEnumerable<string> CommandsOf(string page) =>
        Repository.BlocksOf(page, "").SelectMany(block => block.Split('\n'))
        .Where(line => line.StartsWith("vectorpipe ", StringComparison.Ordinal));

    /// <summary>Runs a line of a shell: words, some of them in double quotes, and perhaps a file for the output.</summary>
    private static async Task<string> RunAsync(TempFolder folder, string line)
    {
        string[] parts = line.Split(" > ");
        IEnumerable<string> words = parts[0].Split('"').SelectMany((text, at) =>
            at % 2 == 1 ? [text] : text.Split(' ', StringSplitOptions.RemoveEmptyEntries)).Skip(1);
        ToolRun run = await ToolRun.SucceedAsync([.. words.Select(word => IsPath(word) ? folder[word] : word)]);
        if (parts.Length > 1)
            await File.WriteAllTextAsync(folder[parts[1]], run.Output);
        return run.Output;
    }

    // The folder of a process is the same for all its tests, so a command in this one is given whole paths.
    private static bool IsPath(string word) =>
        word == "." || _paths.Any(start => word.StartsWith(start, StringComparison.Ordinal));
}

using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Programs and commands of the pages for those who begin do what the pages say.</summary>
[NonParallelizable]
public sealed class PageTests
{
    private const string Page = "docs/getting-started.md";

    /// <summary>The pages whose commands run one after the other, in one folder.</summary>
    public static string[] Pages { get; } = [Page, "docs/backup-and-upgrade.md", "docs/sizing.md"];

    [Test]
    public void The_programs_of_the_page_are_samples()
    {
        Assert.That(
            Repository.Read("samples/GettingStarted/Program.cs"), Is.EqualTo(string.Join('\n', Repository.BlocksOf(Page, "csharp"))));
        Assert.That(
            Repository.BlocksOf(Page, "csharp web"), Is.EqualTo(new[] { Repository.Read("samples/GettingStartedWeb/Program.cs") }));
    }

    [Test]
    public void The_program_that_answers_questions_is_a_sample_of_at_most_60_lines()
    {
        string program = Repository.BlocksOf(Page, "csharp text").Single();
        Assert.That(program, Is.EqualTo(Repository.Read("samples/GettingStartedText/Program.cs")));
        Assert.That(program.Count(letter => letter == '\n'), Is.LessThanOrEqualTo(60));
    }

    [Test]
    public async Task The_program_prints_what_the_page_says_and_the_commands_of_the_pages_run()
    {
        using var folder = new CurrentFolder();
        SampleRun program = await SampleRun.SucceedAsync(folder.Path, "GettingStarted");
        Assert.That(program.Output, Is.EqualTo(Repository.BlocksOf(Page, "text").Single()));

        var outputs = new List<string>();
        foreach (PageCommand command in Pages.SelectMany(PageCommand.Of).Where(PageShell.Takes))
            outputs.Add(await PageShell.RunAsync(command));

        Assert.That(outputs, Has.Count.EqualTo(21));
        Assert.That(outputs, Has.Some.Contain("book-480").And.Contain("Book number 480"), "vectorpipe query");
        Assert.That(outputs, Has.Some.EqualTo("334\n"), "vectorpipe count of what matches");
        Assert.That(outputs, Has.Some.EqualTo("1000\n"), "vectorpipe count of the copy");
        Assert.That(outputs, Has.Exactly(2).Contain("no defects"), "vectorpipe verify");
        Assert.That(outputs, Has.Exactly(2).Contain("1000 points of dimension 384"), "vectorpipe build --plan");
    }
}

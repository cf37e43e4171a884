using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Each command of each page is run by a test, or listed with the reason why not; those of the tool are run here.</summary>
[NonParallelizable]
public sealed class PageCommandTests
{
    // Programs whose commands a test of another project, or another test, runs on whatever page they are.
    private static readonly string[] _elsewhere = ["BENCH", "g++", "vectorpipe-server", "curl", "jq", "createdb"];

    private static readonly SentenceNotation _notation = new(
        new Dictionary<string, string>
        {
            ["FOLDER"] = ".",
            ["INDEX"] = "index",
            ["--out index"] = "index-of-a-sentence",
            ["--query FILE"] = "query.fbin",
            ["--cache-mb ..."] = "1",
        },
        new Dictionary<string, string[]>
        {
            ["build"] = ["--base", "base.fbin", "--out", "other", "--metric", "cosine"],
            ["calibrate"] = ["--index", "index"],
            ["query"] = ["books", "--key", "1"],
            ["search"] = ["--index", "index", "--query", "query.fbin"],
        });

    // Those of a page that take more than two seconds.
    private static readonly string[] _long = ["docs/benchmarks.md", "src/VectorPipe.Tool/PACKAGE.md"];

    // The pages whose commands PageTests does not run.
    private static IEnumerable<string> Pages =>
        PageCommand.All().Where(PageShell.Takes).Select(command => command.Page).Distinct().Except(PageTests.Pages);

    private static IEnumerable<TestCaseData> Cases() => !Repository.IsThere
        ? []
        : Pages.Select(page => _long.Contains(page) ? new TestCaseData(page).SetCategory("Heavy") : new TestCaseData(page));

    [TestCaseSource(nameof(Cases))]
    public async Task The_commands_of_a_page_run(string page)
    {
        using var folder = new CurrentFolder();
        await StandIns.MakeAsync(page);
        foreach (PageCommand command in PageCommand.Of(page).Where(PageShell.Takes))
            await PageShell.RunAsync(command);
    }

    [Test]
    [Category("Heavy")]
    public async Task The_commands_that_sentences_name_run()
    {
        using var folder = new CurrentFolder();
        await StandIns.MakeForSentencesAsync();

        // A verb alone is a name.
        PageCommand[] commands = [.. PageCommand.InSentences("vectorpipe").Where(command => command.Text.Split(' ').Length > 2)];
        Assert.That(commands, Has.Length.GreaterThan(8));
        foreach (PageCommand command in commands.Where(command => !command.Text.StartsWith("vectorpipe COMMAND", StringComparison.Ordinal)))
        {
            string[] arguments = _notation.Arguments(command);
            ToolRun run = await ToolRun.RunAsync(arguments);
            Assert.That(run.ExitCode, Is.Zero, $"{command}, as {string.Join(' ', arguments)}: {run.Error}");
        }
    }

    [Test]
    public void Every_command_is_run_or_listed()
    {
        PageCommand[] commands = PageCommand.All();
        Assert.That(commands, Has.Length.GreaterThan(90));
        Assert.That(
            commands.Where(command => !PageShell.Takes(command) && !_elsewhere.Contains(command.Program)
                && !CommandsNotRun.Reasons.ContainsKey(command.Text)),
            Is.Empty, "run them in a test, or list them in CommandsNotRun");
    }

    [Test]
    public void What_is_listed_is_on_a_page()
    {
        PageCommand[] commands = PageCommand.All();
        Assert.That(CommandsNotRun.Reasons.Keys.Except(commands.Select(command => command.Text)), Is.Empty);
        Assert.That(_elsewhere.Except(commands.Select(command => command.Program)), Is.Empty);
        Assert.That(StandIns.Pages.Except(Pages), Is.Empty, "pages without commands");
    }

    [Test]
    public void Every_block_says_what_it_is()
    {
        string[] commands = ["vectorpipe", "vectorpipe-server", "BENCH", "dotnet", "sudo", "docker", "curl", "g++", "createdb"];
        foreach (string page in Repository.Pages)
        {
            Assert.That(Repository.BlocksOf(page, ""), Is.Empty, $"{page}: a block of commands is 'sh', what is nothing else 'text'");
            IEnumerable<string> lines = Repository.BlocksOf(page, "text").SelectMany(block => block.Split('\n'))
                .Concat(Repository.Read(page).Split('\n').Where(line => line.StartsWith("    ", StringComparison.Ordinal)));
            Assert.That(
                lines.Where(line => commands.Contains(line.Trim().Split(' ')[0])), Is.Empty, $"{page}: commands outside of blocks of 'sh'");
        }
    }
}

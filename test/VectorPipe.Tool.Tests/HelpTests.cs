using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Help, and names in any case.</summary>
public sealed class HelpTests
{
    private const int MostLines = 40, MostColumns = 120;

    private static readonly string[] _verbs =
    [
        "generate", "build", "search", "get", "truth", "inspect", "verify", "calibrate", "import", "export", "create", "upsert", "delete",
        "query", "count", "scan", "compact", "status", "backup", "restore", "doctor", "completion", "explain",
    ];

    [Test]
    public async Task The_help_of_a_verb_fits_on_a_screen([ValueSource(nameof(_verbs))] string verb)
    {
        string[] lines = await LinesAsync(verb, "--help");
        Assert.That(lines, Has.Length.LessThanOrEqualTo(MostLines), string.Join('\n', lines));
        Assert.That(lines.Select(line => line.Length), Is.All.LessThanOrEqualTo(MostColumns));
        Assert.That(await LinesAsync("help", verb), Is.EqualTo(lines));
    }

    [Test]
    public async Task The_whole_help_has_the_options_that_few_need()
    {
        string some = string.Join('\n', await LinesAsync("search", "--help"));
        string all = string.Join('\n', await LinesAsync("search", "--help-all"));
        Assert.That(some, Does.Contain("--target-recall").And.Contain("--help-all").And.Not.Contain("--rerank"));
        Assert.That(all, Does.Contain("--target-recall").And.Contain("--rerank").And.Not.Contain("--help-all"));
    }

    [Test]
    public async Task The_help_of_the_program_shows_each_verb_in_a_group()
    {
        string[] lines = await LinesAsync("--help");
        Assert.That(
            lines.Where(line => line.StartsWith("  ", StringComparison.Ordinal) && char.IsAsciiLetter(line[2]))
                .Select(line => line.Split(' ')[2]),
            Is.EquivalentTo(_verbs));
        Assert.That(lines, Does.Contain("Collections, which are written to:"));
    }

    [Test]
    public async Task Verbs_and_values_may_be_in_any_case()
    {
        using var folder = new TempFolder();
        ToolRun run = await ToolRun.SucceedAsync(
            "CREATE", folder["c"], "--dimension", "2", "--metric", "L2", "--key-type", "String", "--type", "Float32",
            "--attribute", "Y:LONG");
        Assert.That(run.Output, Does.Contain("keys of type string, 1 attributes"));
        ToolRun count = await ToolRun.SucceedAsync("Count", folder["c"], "--format", "Json", "--device", "Portable");
        Assert.That(count.Output, Does.Contain("\"count\": 0"));
    }

    private static async Task<string[]> LinesAsync(params string[] args) =>
        (await ToolRun.SucceedAsync(args)).Output.TrimEnd().Split(Environment.NewLine);
}

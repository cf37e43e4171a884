using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class HelpTests
{
    private const int MostLines = 40, MostColumns = 120;

    [Test]
    public async Task The_help_of_a_verb_fits_on_a_screen()
    {
        foreach (CommandVerb verb in BenchCli.Program.Verbs)
        {
            BenchProcess run = await BenchProcess.RunAsync([verb.Name, "--help"]);
            string[] lines = run.Output.TrimEnd().Split(Environment.NewLine);
            Assert.That(lines, Has.Length.LessThanOrEqualTo(MostLines), run.Output);
            Assert.That(lines.Select(line => line.Length), Is.All.LessThanOrEqualTo(MostColumns));
        }
    }

    [TestCase("search", "(Default: beam,pipe) Search modes")]
    [TestCase("search", "(Default: 1) Run threads")]
    [TestCase("mixed", "(Default: search=95,upsert=5)")]
    [TestCase("streams", "(Default: 0,1,2,4,8,16)")]
    [TestCase("server", "--options  What follows COUNT")]
    public async Task Defaults_are_as_on_the_command_line(string verb, string expected)
    {
        BenchProcess run = await BenchProcess.RunAsync([verb, "--help-all"]);
        Assert.That(run.ExitCode, Is.EqualTo(ExitCodes.Ok));
        string text = System.Text.RegularExpressions.Regex.Replace(run.Output, " +", " ");
        Assert.That(text, Does.Contain(System.Text.RegularExpressions.Regex.Replace(expected, " +", " ")));
        Assert.That(run.Output, Does.Not.Contain("System.").And.Not.Contain("(Default: )"));
    }
}

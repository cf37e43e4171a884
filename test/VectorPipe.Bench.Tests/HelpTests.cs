using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class HelpTests
{
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

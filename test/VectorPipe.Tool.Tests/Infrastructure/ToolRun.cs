using System.Text.Json.Nodes;
using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>The exit code and the output of a run of the command line.</summary>
internal sealed record ToolRun(int ExitCode, string Output, string Error)
{
    /// <summary>Runs a command line in this process.</summary>
    public static Task<ToolRun> RunAsync(params string[] args) => RunAsync(CancellationToken.None, args);

    public static async Task<ToolRun> RunAsync(CancellationToken cancellationToken, params string[] args)
    {
        await using var output = new StringWriter();
        await using var error = new StringWriter();
        int exitCode = await Cli.RunAsync(args, output, error, cancellationToken);
        return new ToolRun(exitCode, output.ToString(), error.ToString());
    }

    /// <summary>Runs a command line that must succeed.</summary>
    public static async Task<ToolRun> SucceedAsync(params string[] args)
    {
        ToolRun run = await RunAsync(args);
        Assert.That(run.ExitCode, Is.Zero, $"'{string.Join(' ', args)}' failed: {run.Error}");
        return run;
    }

    /// <summary>Runs a command line that must succeed, and returns its document of JSON.</summary>
    public static async Task<JsonObject> JsonAsync(params string[] args) =>
        JsonNode.Parse((await SucceedAsync([.. args, "--format", "json"])).Output)!.AsObject();

    /// <summary>Asserts that the run failed with this code and one line of error, after any progress.</summary>
    public void AssertFailed(int exitCode, string expectedInMessage)
    {
        string[] lines = Error.TrimEnd('\n', '\r').Split('\n');
        Assert.That(
            lines.Count(line => line.StartsWith("vectorpipe: ", StringComparison.Ordinal)), Is.EqualTo(1),
            $"one line of error, not: {Error}");
        Assert.That(lines[^1], Does.StartWith("vectorpipe: ").And.Contain(expectedInMessage));
        Assert.That(Error, Does.Not.Contain("   at "));
        Assert.That(ExitCode, Is.EqualTo(exitCode), Error);
    }
}

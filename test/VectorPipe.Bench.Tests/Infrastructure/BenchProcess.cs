using System.Diagnostics;
using System.Text.Json.Nodes;
using NUnit.Framework;

namespace VectorPipe.Bench.Tests.Infrastructure;

/// <summary>The exit code and the output of a run of the command line.</summary>
internal sealed record BenchProcess(int ExitCode, string Output, string Error)
{
    /// <summary>Options that make a run as short as possible.</summary>
    public static string[] Short { get; } = ["--runsec", "0.03", "--warmup-sec", "0", "--quiet"];

    /// <summary>Runs a command line in this process.</summary>
    public static Task<BenchProcess> RunAsync(params string[] args) => RunAsync(CancellationToken.None, args);

    public static async Task<BenchProcess> RunAsync(CancellationToken cancellationToken, params string[] args)
    {
        await using var output = new StringWriter();
        await using var error = new StringWriter();
        int exitCode = await BenchCli.RunAsync(args, output, error, cancellationToken);
        return new BenchProcess(exitCode, output.ToString(), error.ToString());
    }

    /// <summary>Runs a command line that must succeed, and reads its report.</summary>
    public static async Task<JsonObject> ReportAsync(params string[] args)
    {
        using var folder = new TempFolder();
        BenchProcess run = await RunAsync([.. args, "--json-output", folder["report.json"]]);
        Assert.That(run.ExitCode, Is.Zero, $"'{string.Join(' ', args)}' failed: {run.Error}");
        return JsonNode.Parse(await File.ReadAllTextAsync(folder["report.json"]))!.AsObject();
    }

    /// <summary>Runs a command line in its own process, where nothing blurs the figures, and reads its report.</summary>
    public static async Task<JsonObject> ReportOfOwnProcessAsync(params string[] args)
    {
        using var folder = new TempFolder();
        string host = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet"
            ? Environment.ProcessPath!
            : Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
        string bench = Path.Combine(AppContext.BaseDirectory, "VectorPipe.Bench.dll");
        var start = new ProcessStartInfo(
            host, [bench, .. args, "--json-output", folder["report.json"]])
        { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"{host} did not start.");
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string error = await process.StandardError.ReadToEndAsync();
        await output;
        await process.WaitForExitAsync();
        Assert.That(process.ExitCode, Is.Zero, $"'{string.Join(' ', args)}' failed: {error}");
        return JsonNode.Parse(await File.ReadAllTextAsync(folder["report.json"]))!.AsObject();
    }

    /// <summary>Asserts that the run failed with this code and one line of error, after progress and messages.</summary>
    public void AssertFailed(int exitCode, string expectedInMessage)
    {
        string[] lines = Error.TrimEnd('\n', '\r').Split('\n');
        Assert.That(
            lines.Count(line => line.StartsWith("vectorpipe-bench: ", StringComparison.Ordinal)), Is.EqualTo(1),
            $"one line of error, not: {Error}");
        Assert.That(lines[^1], Does.StartWith("vectorpipe-bench: ").And.Contain(expectedInMessage));
        Assert.That(ExitCode, Is.EqualTo(exitCode), Error);
    }
}

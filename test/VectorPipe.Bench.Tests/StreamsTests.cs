using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class StreamsTests
{
    private const int Bursts = 20;
    private const int Burst = 4;

    [Test]
    public async Task Every_look_ahead_has_its_walks_and_the_file_its_scans()
    {
        using var folder = new TempFolder();
        JsonObject report = await BenchProcess.ReportAsync(
            "streams", "--data-path", folder["data"], "--quiet", "--data-mb", "2", "--burst", $"{Burst}", "--bursts", $"{Bursts}",
                "--look-ahead", "0,4",
            "--device", "portable", "--csv-output", folder["streams.csv"]);

        JsonArray rows = report["results"]!.AsArray();
        Assert.That(rows.Select(row => ((string)row!["kind"]!, (int)row["look_ahead"]!)).Skip(1).Take(4), Is.EqualTo(new[]
        {
            ("kept", 0), ("kept", 4), ("forgotten", 0), ("forgotten", 4),
        }));
        Assert.That(rows.Select(row => (string)row!["kind"]!),
            Is.EqualTo(new[] { "queue", "kept", "kept", "forgotten", "forgotten", "scan", "scan unverified" }));
        Assert.That(rows.Take(5).Select(row => (long)row!["pages"]!), Is.All.EqualTo(Bursts * Burst));
        Assert.That(rows.Skip(5).Select(row => (long)row!["pages"]!), Is.All.EqualTo((2 << 20) / 4096 - 1), "all pages but the header");
        Assert.That(rows.All(row => (double)row!["seconds"]! > 0 && (long)row["reads"]! > 0), Is.True);
        Assert.That((await File.ReadAllLinesAsync(folder["streams.csv"]))[0].Split(','),
            Is.EqualTo(rows[0]!.AsObject().Select(column => column.Key)));
    }

    [Test]
    public async Task The_device_that_was_chosen_is_logged_with_its_reason([Values] bool isQuiet)
    {
        using var folder = new TempFolder();
        string[] quiet = isQuiet ? ["--quiet"] : [];
        BenchProcess run = await BenchProcess.RunAsync(
            ["streams", "--data-path", folder["data"], "--data-mb", "1", "--burst", "2", "--bursts", "2", "--look-ahead", "1", "--device",
                "portable", .. quiet]);
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        Assert.That(run.Error.Contains("through the portable device: ", StringComparison.Ordinal), Is.EqualTo(!isQuiet), run.Error);
    }

    [TestCase("--look-ahead", "-1")]
    [TestCase("--burst", "0")]
    [TestCase("--bursts", "0")]
    [TestCase("--threads", "2")]
    [TestCase("--rate", "5")]
    public async Task Bad_options_are_refused(string option, string value)
    {
        using var folder = new TempFolder();
        BenchProcess run = await BenchProcess.RunAsync(["streams", "--data-path", folder["data"], $"{option}={value}"]);
        run.AssertFailed(ExitCodes.BadInput, option);
    }
}

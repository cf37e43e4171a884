using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class ShuffleTests
{
    [Test]
    public async Task Every_batch_size_has_its_result_and_leaves_no_file()
    {
        using var folder = new TempFolder();
        JsonObject report = await BenchProcess.ReportAsync(
            "shuffle", "--data-path", folder["data"], "--quiet", "--rows", "50000", "--row-bytes", "32", "--partitions", "300",
            "--batch-mb", "1,4", "--device", "portable");

        JsonArray rows = report["results"]!.AsArray();
        Assert.That(rows.Select(row => (int)row!["batch_mb"]!), Is.EqualTo(new[] { 1, 4 }));
        Assert.That(rows.Select(row => (int)row!["flush_groups"]!), Is.EqualTo(new[] { 2, 1 }), "40 bytes a row");
        Assert.That(rows.All(row => (double)row!["write_seconds"]! > 0 && (double)row["read_seconds"]! > 0), Is.True);
        Assert.That(Directory.GetFiles(folder["data"]), Is.Empty);
    }

    [Test]
    [Category("Heavy")]
    [Platform("Linux")]
    public async Task A_shuffle_takes_little_more_memory_than_its_batch()
    {
        // The batch is so large that a few MiB of code and garbage hardly count, and the rows fill more than one group.
        using var folder = new TempFolder();
        JsonObject report = await BenchProcess.ReportOfOwnProcessAsync(
            "shuffle", "--data-path", folder["data"], "--quiet", "--rows", "1000000", "--row-bytes", "64", "--partitions", "1024",
            "--batch-mb", "64", "--device", "portable");

        JsonNode row = report["results"]![0]!;
        Assert.That((int)row["flush_groups"]!, Is.EqualTo(2));
        Assert.That((double)row["overhead_ratio"]!, Is.InRange(0.9, 1.15), $"{row["overhead_bytes"]} bytes");
    }

    [TestCase("--rows", "0")]
    [TestCase("--partitions", "0")]
    [TestCase("--batch-mb", "0")]
    [TestCase("--threads", "2")]
    [TestCase("--rate", "5")]
    public async Task Bad_options_are_refused(string option, string value)
    {
        using var folder = new TempFolder();
        BenchProcess run = await BenchProcess.RunAsync(["shuffle", "--data-path", folder["data"], option, value]);
        run.AssertFailed(ExitCodes.BadInput, option);
    }
}

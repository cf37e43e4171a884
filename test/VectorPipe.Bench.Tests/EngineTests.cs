using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class EngineTests
{
    private readonly TempFolder _folder = new();

    [OneTimeTearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task All_collections_are_opened_and_searched_in_each_pass()
    {
        JsonObject report = await BenchProcess.ReportAsync(
            [.. Arguments, "--collections", "5", "-n", "60", "--dim", "8", "--passes", "2", "-t", "1,2", "--quiet"]);
        JsonArray rows = report["results"]!.AsArray();
        Assert.That(
            rows.Select(row => ((string)row!["kind"]!, (int)row["threads"]!, (long)row["ops"]!)),
            Is.EqualTo(new[]
            {
                ("open", 1, 5L), ("search 1", 1, 5), ("search 2", 1, 5), ("open", 2, 5), ("search 1", 2, 5), ("search 2", 2, 5),
            }));
        Assert.That(rows.Select(row => (double)row!["p50_us"]!), Is.All.GreaterThan(0));
        Assert.That(rows.Select(row => (long)row!["memory_bytes"]!), Is.All.GreaterThan(1 << 20));
        Assert.That(rows.Select(row => (int)row!["process_threads"]!), Is.All.GreaterThan(1));
        int[] before = [.. rows.Select(row => (int)row!["process_threads"]! - (int)row["added_threads"]!).Distinct()];
        Assert.That(before, Has.Length.EqualTo(1).And.All.GreaterThan(1), "what the process had before is one number");
    }

    [TestCase("--collections", "0", "1 to 100000")]
    [TestCase("--points", "0", "1 to 100000")]
    [TestCase("--dim", "0", "1 to 4096")]
    [TestCase("-k", "1001", "1 to 1000")]
    [TestCase("--passes", "0", "1 to 1000")]
    [TestCase("--iterations", "2", "--passes repeats")]
    [TestCase("--runsec", "5", "a pass searches each collection once")]
    [TestCase("--warmup-sec", "1", "the first pass has a row")]
    [TestCase("--rate", "5", "no pace")]
    public async Task A_bad_option_is_refused(string option, string value, string expected) =>
        (await BenchProcess.RunAsync([.. Arguments, option, value])).AssertFailed(ExitCodes.BadInput, expected);

    private string[] Arguments => ["engine", "--data-path", _folder["engine"]];
}

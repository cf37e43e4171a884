using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class MixedTests
{
    private readonly TempFolder _folder = new();

    [OneTimeTearDown]
    public void RemoveFolder() => _folder.Dispose();

    [TestCase("uniform", Category = "Heavy")]
    [TestCase("zipf", Category = "Heavy")]
    [TestCase("latest")]
    public async Task Every_operation_has_its_latencies_and_all_have_costs(string distribution)
    {
        JsonArray rows = await RowsAsync("--mix", "search=40,upsert=40,delete=20", "-d", distribution, "-t", "2");

        Assert.That(rows.Select(row => (string)row!["kind"]!), Is.EqualTo(new[] { "search", "upsert", "delete", "all" }));
        Assert.That(rows.Select(row => (double)row!["ops_per_second"]!), Is.All.GreaterThan(0));
        Assert.That(rows.Select(row => (double)row!["p99_us"]! - (double)row["p50_us"]!), Is.All.GreaterThanOrEqualTo(0));
        foreach (JsonNode? row in rows.Take(3))
        {
            Assert.That(
                (double)row!["worst_second_p99_us"]!, Is.GreaterThanOrEqualTo(0.99 * (double)row["p99_us"]!), "of one second or two");
        }

        Assert.That(rows.Take(3).Sum(row => (long)row!["ops"]!), Is.EqualTo((long)rows[3]!["ops"]!));
        if (OperatingSystem.IsLinux() && new DriveInfo(_folder[""]).DriveFormat != "tmpfs")
            Assert.That((double)rows[3]!["bytes_written_per_byte"]!, Is.GreaterThan(1), "the log has headers");
        Assert.That((long)rows[3]!["waiting_writes"]!, Is.GreaterThan(0));
    }

    [Test]
    public async Task Searches_alone_write_nothing()
    {
        JsonArray rows = await RowsAsync("--mix", "search=100");
        Assert.That(rows.Select(row => (string)row!["kind"]!), Is.EqualTo(new[] { "search", "all" }));
        Assert.That(rows[1]!["bytes_written_per_byte"], Is.Null);
    }

    [Test]
    public async Task A_paced_run_keeps_its_rate()
    {
        // Few enough that a stall on a busy machine leaves few overdue ones.
        JsonArray rows = await RowsAsync("--rate", "4");
        Assert.That((double)rows.Last()!["ops_per_second"]!, Is.LessThan(100));
    }

    [TestCase("--mix", "search=90", "add up to 100")]
    [TestCase("--mix", "swim=100", "--mix")]
    [TestCase("--mix", "0=100", "--mix")]
    [TestCase("--distribution", "normal", "uniform, zipf or latest")]
    [TestCase("--durability", "never", "group, every, flush")]
    [TestCase("--iterations", "2", "--iterations")]
    [TestCase("--points", "601", "at most 600")]
    public async Task A_bad_option_is_refused(string option, string value, string expected) =>
        (await BenchProcess.RunAsync([.. Arguments, option, value])).AssertFailed(ExitCodes.BadInput, expected);

    private string[] Arguments =>
    [
        "mixed", "--base", SharedData.DataSet + ".base.u8bin", "--data-path", _folder["mixed"], "--device", "memory",
    ];

    private async Task<JsonArray> RowsAsync(params string[] more)
    {
        JsonObject report = await BenchProcess.ReportAsync(
            [.. Arguments, "-n", "400", "--durability", "flush", "--runsec", "0.5", "--warmup-sec", "0.2", "--quiet", .. more]);
        return report["results"]!.AsArray();
    }
}

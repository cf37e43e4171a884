using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class ChurnTests
{
    [TestCase("uniform", 100, Category = "Heavy")]
    [TestCase("sliding", 100)]
    [TestCase("grow", 200)]
    public async Task A_row_follows_every_tenth(string pattern, int recordsAtEnd)
    {
        JsonArray rows = await RowsAsync(100, "--pattern", pattern);

        Assert.That(rows.Select(row => (double)row!["share"]!), Is.EqualTo(Enumerable.Range(0, 11).Select(i => i / 10.0)).Within(1e-9));
        Assert.That((long)rows[10]!["records"]!, Is.EqualTo(recordsAtEnd));
        Assert.That(
            rows.Select(row => (double)row!["recall"]!), Is.All.EqualTo(1).Within(1e-9), "small collections are searched exactly");
        Assert.That(rows.Select(row => (double)row!["recall_rebuilt"]!), Is.All.EqualTo(1).Within(1e-9));
        Assert.That(rows.Select(row => row!["recall_same_threshold"]), Is.All.Null, "a small collection has no thresholds");
        Assert.That(rows.Select(row => row!.AsObject().ContainsKey("reads_at_0.976_rebuilt")), Is.All.True);
        Assert.That((rows[0]!["recall_new"], rows[0]!["inserts_per_sec"]), Is.EqualTo(((JsonNode?)null, (JsonNode?)null)));
        Assert.That((double)rows[10]!["inserts_per_sec"]!, Is.GreaterThan(0));
        Assert.That(rows[10]!["deletes_per_sec"] is null, Is.EqualTo(pattern == "grow"));
        Assert.That((double)rows[10]!["recall_new"]!, Is.EqualTo(1).Within(1e-9));
        Assert.That(rows[10]!["recall_old"] is null, Is.EqualTo(pattern == "sliding"), "a window of new records alone");
    }

    [Test]
    public async Task Without_maintenance_all_writes_wait()
    {
        JsonArray rows = await RowsAsync(100, "--pattern", "sliding", "--maintenance", "off", "--steps", "2");
        Assert.That((long)rows[2]!["waiting_writes"]!, Is.EqualTo(200), "100 deletions and 100 insertions");
        Assert.That((long)rows[2]!["generation"]!, Is.EqualTo(1));
    }

    [Test]
    public async Task Writes_come_no_faster_than_their_rate()
    {
        JsonArray rows = await RowsAsync(100, "--steps", "2", "--rate", "500");
        Assert.That(rows.Skip(1).Select(row => (double)row!["inserts_per_sec"]!), Is.All.LessThanOrEqualTo(500));
        Assert.That(rows.Skip(1).Select(row => (double)row!["deletes_per_sec"]!), Is.All.LessThanOrEqualTo(500));
    }

    [TestCase("--pattern", "zigzag", "uniform, sliding, grow")]
    [TestCase("--share", "0", "--share")]
    [TestCase("--share", "11", "no more records a step")]
    [TestCase("--steps", "0", "1 to 1000")]
    [TestCase("--maintenance", "maybe", "on or off")]
    [TestCase("--recall", "1", "below 1")]
    [TestCase("--read-cost-us", "-1", "0 to 1000000")]
    [TestCase("--rate", "0", "--rate")]
    [TestCase("--threads", "2", "--threads")]
    public async Task A_bad_option_is_refused(string option, string value, string expected)
    {
        using var folder = new TempFolder();
        (await BenchProcess.RunAsync(["churn", "--base", Base, "-n", "300", "--data-path", folder["data"], option, value]))
            .AssertFailed(ExitCodes.BadInput, expected);
    }

    [Test]
    public async Task Growth_needs_rows_of_the_base()
    {
        using var folder = new TempFolder();
        string[] arguments = ["churn", "--base", Base, "-n", "300", "--data-path", folder["data"], "--pattern", "grow", "--share", "5"];
        (await BenchProcess.RunAsync(arguments)).AssertFailed(ExitCodes.BadInput, "at most 600 rows");
    }

    [TestCase("uniform")]
    [TestCase("sliding", Category = "Heavy")]
    public async Task Rows_that_were_deleted_come_back_when_the_base_has_no_others(string pattern)
    {
        JsonArray rows = await RowsAsync(300, "--pattern", pattern, "--share", "3", "--steps", "3");
        Assert.That(rows.Select(row => (double)row!["share"]!), Is.EqualTo([0.0, 1, 2, 3]).Within(1e-9));
        Assert.That(rows.Select(row => (long)row!["records"]!), Is.All.EqualTo(300));
        Assert.That(rows.Select(row => (double)row!["recall"]!), Is.All.EqualTo(1).Within(1e-9));
        Assert.That(rows.Select(row => (long)row!["disk_bytes_rebuilt"]!), Is.All.GreaterThan(300 * 16), "more than the vectors");
        Assert.That(rows.Select(row => (long)row!["disk_bytes"]!), Is.All.GreaterThan(300 * 16), "more than the vectors");
        Assert.That(rows[0]!["disk_bytes_most"], Is.Null, "nothing was written yet");
        foreach (JsonNode? row in rows.Skip(1))
            Assert.That((long)row!["disk_bytes_mean"]!, Is.GreaterThan(300 * 16).And.AtMost((long)row["disk_bytes_most"]!));
    }

    private static string Base => SharedData.DataSet + ".base.u8bin";

    private static async Task<JsonArray> RowsAsync(int points, params string[] more)
    {
        using var folder = new TempFolder();
        JsonObject report = await BenchProcess.ReportAsync(
            ["churn", "--base", Base, "--query", SharedData.DataSet + ".query.u8bin", "-n", $"{points}", "--data-path", folder["data"],
                "--quiet", "--device", "memory", "--durability", "flush", .. more]);
        return report["results"]!.AsArray();
    }
}

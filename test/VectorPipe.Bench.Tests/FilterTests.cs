using System.Text.Json.Nodes;
using System.Xml.Linq;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class FilterTests
{
    [TestCase("--mode", "beam", "--kind", "graph")]
    [TestCase("--mode", "exact", "--kind", "graph")]
    [TestCase("--mode", "pipe", "--kind", "ivf")]
    public async Task Every_shape_has_its_rows(string mode, string modeName, string kind, string kindName)
    {
        JsonArray rows = await RowsAsync(mode, modeName, kind, kindName);

        Assert.That(
            rows.Select(row => (string)row!["shape"]!).Distinct(), Is.EquivalentTo(["none", "random", "own", "far", "and", "range"]));
        Assert.That((double)rows[0]!["selectivity"]!, Is.EqualTo(1));
        Assert.That((string)rows[0]!["strategy"]!, Is.EqualTo("None"));
        Assert.That((double)rows[1]!["selectivity"]!, Is.EqualTo(0.5).Within(0.1));
        Assert.That(rows.Select(row => (int)row!["short_queries"]!), Is.All.Zero, "no answer is shorter than it need be");
        foreach (JsonNode? row in rows)
        {
            Assert.That((double)row!["recall"]!, modeName == "exact" ? Is.EqualTo(1) : Is.GreaterThan(0.8), row.ToJsonString());
            Assert.That((double)row["qps"]!, Is.GreaterThan(0));
            Assert.That((double)row["selectivity"]!, Is.InRange(0, 1));
        }
    }

    [Test]
    public async Task Several_threads_find_the_same_and_a_chart_shows_it()
    {
        using var folder = new TempFolder();
        string chart = folder["filters.svg"];
        JsonArray one = await RowsAsync("--queries-in-flight", "1"), two = await RowsAsync("--threads", "2", "--chart", chart);
        Assert.That(
            two.Select(row => (double)row!["recall"]!), Is.EqualTo(one.Select(row => (double)row!["recall"]!)).Within(0.05));
        Assert.That(XDocument.Load(chart).Descendants().Count(element => element.Attribute("class")?.Value == "panel"), Is.EqualTo(4));
    }

    [TestCase("--recall", "1", "0.5 to 0.9999")]
    [TestCase("--points", "5", "100 or more")]
    [TestCase("--mode", "slow", "beam, pipe, exact")]
    [TestCase("--kind", "tree", "graph")]
    [TestCase("--rate", "5", "no pace")]
    [TestCase("--threads", "1,2", "one number")]
    public async Task A_bad_option_is_refused(string option, string value, string expected)
    {
        using var folder = new TempFolder();
        (await BenchProcess.RunAsync(
            ["filter", "--base", Base, "--query", Base, "--data-path", folder["data"], option, value]))
            .AssertFailed(ExitCodes.BadInput, expected);
    }

    private static string Base => SharedData.DataSet + ".base.u8bin";

    private static async Task<JsonArray> RowsAsync(params string[] more)
    {
        using var folder = new TempFolder();
        JsonObject report = await BenchProcess.ReportAsync(
            ["filter", "--base", Base, "--query", SharedData.DataSet + ".query.u8bin", "--queries", "20", "--index", folder["data"],
                "--quiet", "--device", "memory", .. more]);
        return report["results"]!.AsArray();
    }
}

using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

/// <summary>The benchmark builds, searches, looks up and charts IVF indexes.</summary>
public sealed class ListTests
{
    private readonly TempFolder _folder = new();

    private string Index => _folder["lists.index"];

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task More_probes_find_more_and_read_more()
    {
        JsonNode[] rows = await SearchAsync("--probes", "1,4,20", "--bound-factor", "1");
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                rows.Select(row => ((string)row["kind"]!, (string)row["mode"]!, (string)row["policy"]!, (int)row["probes"]!)),
                Is.EqualTo(new[] { ("ivf", "pipe", "probes", 1), ("ivf", "pipe", "probes", 4), ("ivf", "pipe", "probes", 20) }));
            Assert.That(rows.Select(row => (double)row["recall"]!), Is.Ordered.Ascending);
            Assert.That(rows.Select(row => (double)row["read_bytes_per_query"]!), Is.Ordered.Ascending);
            Assert.That((double)rows[^1]["recall"]!, Is.EqualTo(1), "all lists hold every answer");
        }
    }

    [Test]
    public async Task Charts_show_recall_against_reads_bytes_and_throughput()
    {
        string chart = _folder["lists.svg"];
        await SearchAsync("--probes", "1,4", "--chart", chart);
        Assert.That(
            await File.ReadAllTextAsync(chart),
            Does.Contain(
                "Throughput against recall").And.Contain("Reads against recall").And.Contain("KiB per query").And.Contain("probes 1 4"));
    }

    [Test]
    public async Task Graph_options_are_refused_for_lists_and_list_options_for_graphs()
    {
        await SearchAsync("--probes", "1");
        (await BenchProcess.RunAsync([.. Search(Index), "--policy", "gain"])).AssertFailed(ExitCodes.BadInput, "--policy");
        (await BenchProcess.RunAsync([.. Search(SharedData.SearchIndex), "--probes", "4"])).AssertFailed(ExitCodes.BadInput, "--probes");
    }

    [TestCase(new string[0], "ivf-1t", "ivf-2t")]
    [TestCase(new[] { "--coded-lists", "--code-bytes", "8", "--code", "pq,opq" }, "ivf-pq-1t", "ivf-pq-2t", "ivf-opq-1t", "ivf-opq-2t",
        Category = "Heavy")]
    public async Task Lists_and_graphs_are_each_searched_by_their_own_options(string[] coded, params string[] variants)
    {
        JsonObject report = await BenchProcess.ReportAsync(
            [
                "build", "--data-path", _folder["build"], "--device", "memory", "--quiet", "--generate", "clusters", "-n", "900", "--dim",
                "16", "--queries", "20",
                "--degree", "16", "--build-list-size", "32", "--kind", "graph,ivf", "--threads", "1,2", "--lists", "20", "-l", "40",
                "--probes", "2,20", .. coded,
            ]);
        JsonNode[] rows = [.. report["results"]!.AsArray().Select(row => row!)];
        JsonNode[] builds = [.. rows.Where(row => (string)row["row"]! == "build" && (string)row["kind"]! == "ivf")];
        JsonNode[] searches = [.. rows.Where(row => (string)row["row"]! == "search")];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(builds.Select(row => (string)row["variant"]!), Is.EqualTo(variants));
            Assert.That(
                (string)builds[0]["sha256_MANIFEST"]!, Is.EqualTo((string)builds[1]["sha256_MANIFEST"]!), "at any number of threads");
            Assert.That(builds.Select(row => row["degree_mean"]), Is.All.Null);
            Assert.That(
                searches.Where(row => (string)row["variant"]! == variants[0]).Select(row => ((int?)row["probes"], (int?)row["list_size"])),
                Is.EqualTo(new (int?, int?)[] { (2, null), (20, null) }));
            Assert.That(
                searches.Where(row => (string)row["kind"]! == "graph").Select(row => ((int?)row["probes"], (int?)row["list_size"]))
                .Distinct(),
                Is.EqualTo(new (int?, int?)[] { (null, 40) }));
        }
    }

    [Test]
    public async Task Keys_of_lists_are_looked_up_and_validated()
    {
        JsonNode row = (await BenchProcess.ReportAsync(
            ["get", "--kind", "ivf", "--index", _folder["get.index"], "-n", "300", "--runsec", "0.5", "--warmup-sec", "0", "--quiet",
            "--device", "memory"]))["results"]![0]!;
        Assert.That((double)row["ops_per_second"]!, Is.GreaterThan(0));
        Assert.That(VectorIndex.Inspect(_folder["get.index"]).Kind, Is.EqualTo(IndexKind.Ivf));
    }

    [TestCase("search", "--probes", "0", "1 or more")]
    [TestCase("search", "--kind", "tree", "graph, ivf")]
    [TestCase("get", "--kind", "tree", "graph, ivf")]
    [TestCase("build", "--kind", "graph,tree", "graph, ivf")]
    public async Task Bad_options_are_refused(string verb, string option, string value, string expected)
    {
        string[] data = verb switch
        {
            "search" => ["--dataset", SharedData.DataSet],
            "build" => ["--generate", "uniform", "--dim", "16"],
            _ => [],
        };
        (await BenchProcess.RunAsync([verb, .. data, "--data-path", _folder["none"], option, value]))
            .AssertFailed(ExitCodes.BadInput, expected);
    }

    private async Task<JsonNode[]> SearchAsync(params string[] more) =>
        [.. (await BenchProcess.ReportAsync([.. Search(Index), "--kind", "ivf", "--lists", "20", .. more]))["results"]!.AsArray()
        .Select(row => row!)];

    private static string[] Search(string index) =>
        ["search", "--dataset", SharedData.DataSet, "--index", index, "-k", "1", "--quiet", "--device", "memory"];
}

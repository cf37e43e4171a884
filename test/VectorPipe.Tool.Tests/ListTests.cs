using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Every command of the tool works with an IVF index.</summary>
public sealed class ListTests
{
    private SmallIndex _small = null!;
    private TempFolder _folder = null!;

    private string Index => _folder["lists"];

    [OneTimeSetUp]
    public async Task BuildIndex()
    {
        _small = await SmallIndex.SharedAsync();
        _folder = new TempFolder();
        await ToolRun.SucceedAsync("build", "--base", _small.Base, "--out", Index, "--kind", "ivf", "--lists", "30", "--threads", "2");
    }

    [OneTimeTearDown]
    public void RemoveIndex() => _folder?.Dispose();

    [Test]
    public async Task Recall_and_bytes_grow_with_the_probes()
    {
        JsonObject search = await ToolRun.JsonAsync(
            "search", "--index", Index, "--query", _small.Query, "--truth", _small.Truth, "--device", "memory", "--probes", "1,4,30");
        JsonArray results = search["results"]!.AsArray();

        using (Assert.EnterMultipleScope())
        {
            Assert.That(results.Select(result => (int)result!["probes"]!), Is.EqualTo(new[] { 1, 4, 30 }));
            Assert.That(results.Select(result => (double)result!["recall"]!), Is.Ordered.Ascending);
            Assert.That(results.Select(result => (double)result!["read_bytes_per_query"]!), Is.Ordered.Ascending);
            Assert.That((double)results[2]!["recall"]!, Is.GreaterThan(0.99));
        }
    }

    [Test]
    public async Task Verify_finds_nothing_wrong() =>
        Assert.That((await ToolRun.SucceedAsync("verify", "--index", Index)).Output, Does.Contain("no defects"));

    [Test]
    public async Task Inspect_shows_the_kind_and_the_lists()
    {
        string output = (await ToolRun.SucceedAsync("inspect", "--index", Index)).Output;

        Assert.That(output, Does.Contain("ivf").And.Contain("vectors a list, mean"));
    }

    [Test]
    public async Task Options_of_the_other_kind_are_refused()
    {
        ToolRun lists =
            await ToolRun.RunAsync("search", "--index", Index, "--query", _small.Query, "--device", "memory", "--threshold", "0.1");
        ToolRun graph = await _small.SearchAsync("--probes", "4");

        using (Assert.EnterMultipleScope())
        {
            Assert.That((lists.ExitCode, lists.Error), Is.Not.EqualTo((0, "")));
            Assert.That(lists.Error, Does.Contain("--threshold"));
            Assert.That(graph.Error, Does.Contain("--probes"));
        }
    }

    [Test]
    public async Task A_target_recall_takes_the_number_of_lists_in_the_calibration()
    {
        // So many vectors that the default search is not exact.
        string large = Directory.CreateDirectory(_folder["large"]).FullName;
        string index = Path.Combine(large, "lists"), query = Path.Combine(large, "query.fbin");
        await ToolRun.SucceedAsync(
            "generate", "--out", large, "--points", "5000", "--queries", "60", "--dimension", "16", "--type", "float32", "--clusters", "20",
            "--seed", "7", "-k", "20");
        await ToolRun.SucceedAsync(
            "build", "--base", Path.Combine(large, "base.fbin"), "--out", index, "--kind", "ivf", "--lists", "60", "--threads", "2");
        JsonObject search = await ToolRun.JsonAsync(
            "search", "--index", index, "--query", query, "--truth", Path.Combine(large, "truth.bin"), "--device", "memory",
            "--target-recall", "0.6,0.99");
        JsonArray results = search["results"]!.AsArray();
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                results.Select(result => ((string)result!["kind"]!, (int?)result["probes"])),
                Is.EqualTo(new (string, int?)[] { ("ivf", null), ("ivf", null) }));
            Assert.That((double)results[1]!["hops_per_query"]!, Is.GreaterThan((double)results[0]!["hops_per_query"]!));
            Assert.That((double)results[1]!["recall"]!, Is.GreaterThan(0.95));
        }

        ToolRun both = await ToolRun.RunAsync(
            "search", "--index", Index, "--query", _small.Query, "--device", "memory", "--target-recall", "0.9", "--probes", "3");
        both.AssertFailed(ExitCodes.BadInput, "--target-recall");
    }

    [Test]
    public async Task Calibrate_shows_recall_and_pages_by_probes() =>
        Assert.That(
            (await ToolRun.SucceedAsync("calibrate", "--index", Index, "--queries", "100")).Output,
            Does.Contain("probes").And.Contain("recall@10").And.Contain("pages"));

    [Test]
    public async Task The_effect_of_a_cache_is_printed()
    {
        string output = (
            await ToolRun.SucceedAsync(
                "search", "--index", Index, "--query", _small.Query, "--device", "memory", "--probes", "4", "--cache-mb", "64")).Output;
        Assert.That(output, Does.Contain("cache: resident").And.Contain("hit rate 100.0"));
    }

    [Test]
    public async Task Vectors_and_keys_are_exported_and_a_graph_is_refused()
    {
        ToolRun run = await ToolRun.SucceedAsync("export", "--index", Index, "--out", _folder["out"]);
        Assert.That(run.Output, Does.Contain("out.keys.npy").And.Not.Contain("graph.bin"));
        (await ToolRun.RunAsync("export", "--index", Index, "--out", _folder["graph"], "--with-graph", "on"))
            .AssertFailed(ExitCodes.BadInput, "--with-graph");
    }

    [Test]
    [Platform("Linux")]
    public async Task A_budget_is_planned_kept_or_refused_with_the_least_one()
    {
        string[] build = ["build", "--base", _small.Base, "--out", _folder["budget"], "--kind", "ivf", "--lists", "30"];
        ToolRun refused = await ToolRun.RunAsync([.. build, "--memory", "1"]);
        refused.AssertFailed(ExitCodes.BadInput, "--memory: expected at least");
        ToolRun plan = await ToolRun.SucceedAsync([.. build, "--memory", "1 GiB", "--plan"]);
        Assert.That(plan.Output, Does.Contain("shuffle").And.Contain("least --memory"));
        Assert.That(Directory.Exists(_folder["budget"]), Is.False);
        await ToolRun.SucceedAsync([.. build, "--memory", "1 GiB"]);
        byte[] free = await File.ReadAllBytesAsync(Path.Combine(Index, "nodes-000001.vp"));
        byte[] bound = await File.ReadAllBytesAsync(Path.Combine(_folder["budget"], "nodes-000001.vp"));
        Assert.That(bound.SequenceEqual(free), "the same bytes");
    }
}

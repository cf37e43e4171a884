using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>An index of lists goes through the tool as a graph does.</summary>
public sealed class ListTests
{
    private SmallIndex _small = null!;
    private TempFolder _folder = null!;

    private string Index => _folder["lists"];

    [OneTimeSetUp]
    public async Task BuildIndex()
    {
        _small = await SmallIndex.CreateAsync("l2");
        _folder = new TempFolder();
        await ToolRun.SucceedAsync("build", "--base", _small.Base, "--out", Index, "--kind", "ivf", "--lists", "30", "--threads", "2");
    }

    [OneTimeTearDown]
    public void RemoveIndex()
    {
        _folder?.Dispose();
        _small?.Dispose();
    }

    [Test]
    public async Task Recall_and_bytes_grow_with_the_probes()
    {
        await ToolRun.SucceedAsync(
            "search", "--index", Index, "--query", _small.Query, "--truth", _small.Truth, "--device", "memory", "--probes", "1,4,30", "--json", _folder["search.json"]);
        JsonArray results = JsonNode.Parse(await File.ReadAllTextAsync(_folder["search.json"]))!["results"]!.AsArray();

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
    public async Task Inspect_tells_the_kind_and_the_lists()
    {
        string output = (await ToolRun.SucceedAsync("inspect", "--index", Index)).Output;

        Assert.That(output, Does.Contain("ivf").And.Contain("vectors a list, mean"));
    }

    [Test]
    public async Task Knobs_of_the_other_kind_are_refused()
    {
        ToolRun lists = await ToolRun.RunAsync("search", "--index", Index, "--query", _small.Query, "--device", "memory", "--policy", "gain");
        ToolRun graph = await _small.SearchAsync("--probes", "4");

        using (Assert.EnterMultipleScope())
        {
            Assert.That((lists.ExitCode, lists.Error), Is.Not.EqualTo((0, "")));
            Assert.That(lists.Error, Does.Contain("--policy"));
            Assert.That(graph.Error, Does.Contain("--probes"));
        }
    }
}

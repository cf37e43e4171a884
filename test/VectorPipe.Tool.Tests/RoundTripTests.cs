using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

[TestFixture("l2")]
[TestFixture("ip", Category = "Heavy")]
[TestFixture("cosine")]
public sealed class RoundTripTests(string metric)
{
    private SmallIndex _small = null!;

    [OneTimeSetUp]
    public async Task BuildIndex() => _small = await SmallIndex.CreateAsync(metric);

    [OneTimeTearDown]
    public void RemoveIndex() => _small?.Dispose();

    [TestCase("pipe", "1")]
    [TestCase("pipe", "3")]
    [TestCase("beam", "2")]
    public async Task Search_finds_nearly_all_neighbours(string mode, string threads)
    {
        JsonObject result =
            (await ResultsAsync("--truth", _small.Truth, "--list-size", "200", "--mode", mode, "--threads", threads))[0]!.AsObject();
        Assert.That((double)result["recall"]!, Is.GreaterThan(0.97));
    }

    [Test]
    public async Task Verify_finds_nothing_wrong()
    {
        ToolRun run = await ToolRun.SucceedAsync("verify", "--index", _small.Index, "--threads", "2");
        Assert.That(run.Output, Does.Contain("no defects"));
    }

    private async Task<JsonArray> ResultsAsync(params string[] more)
    {
        ToolRun run = await _small.SearchAsync(["--format", "json", .. more]);
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        return JsonNode.Parse(run.Output)!["results"]!.AsArray();
    }
}

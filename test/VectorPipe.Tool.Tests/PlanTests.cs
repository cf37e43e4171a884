using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

public sealed class PlanTests
{
    private readonly TempFolder _folder = new();

    private string Base => _folder["base.fbin"];

    [OneTimeSetUp]
    public Task MakeVectors() => ToolRun.SucceedAsync(
        "generate", "--out", _folder[""], "--points", "800", "--queries", "1", "--dimension", "16", "--type", "float32", "--clusters", "5",
        "-k", "1");

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task A_plan_is_printed_and_nothing_is_created()
    {
        ToolRun run = await ToolRun.SucceedAsync(BuildArguments("none", "--plan"));
        Assert.That(
            run.Output, Does.Contain("graph: refine").And.Contain("memory MiB").And.Contain("800 points of dimension 16 (Float32)"));
        Assert.That(run.Output, Does.Not.Contain(" % ("), "no progress");
        Assert.That(Directory.Exists(_folder["none"]), Is.False);
    }

    [Test]
    public async Task A_plan_can_be_written()
    {
        JsonObject plan = await ToolRun.JsonAsync(BuildArguments("none", "--plan"));
        string[] expected =
        [
            "points", "dimension", "type", "memory_budget", "least_memory_budget", "threads", "memory_bytes", "scratch_bytes",
            "index_bytes", "estimated_seconds",
            "phases", "configuration",
        ];
        Assert.That(plan.Select(property => property.Key), Is.EqualTo(expected));
        Assert.That(
            plan["phases"]![0]!.AsObject()
            .Select(property => property.Key), Is.EqualTo(new[] { "name", "memory_bytes", "scratch_bytes", "estimated_seconds" }));
        Assert.That((string)plan["type"]!, Is.EqualTo("float32"));
        Assert.That(plan["memory_budget"], Is.Null);
    }

    [Test]
    [Platform("Linux")]
    public async Task A_plan_shows_the_threads_within_the_budget([Values("4GiB", "96MiB")] string memory)
    {
        ToolRun run = await ToolRun.SucceedAsync(
            "build", "--base", Base, "--out", _folder["none"], "--plan", "--threads", "64", "--memory", memory, "--format", "json");
        int threads = (int)JsonNode.Parse(run.Output)!["threads"]!;
        Assert.That(threads, memory == "4GiB" ? Is.EqualTo(64) : Is.InRange(1, 63));
        Assert.That(run.Error, Does.Contain($", {threads} worker thread"));
    }

    [Test]
    public async Task Without_a_budget_a_build_shows_no_plan() =>
        Assert.That((await ToolRun.SucceedAsync(BuildArguments("free"))).Output, Does.Not.Contain("memory MiB"));

    [Test]
    [Platform("Linux")]
    public async Task Under_a_budget_a_build_shows_its_plan_and_reports_its_scratch()
    {
        ToolRun run = await ToolRun.SucceedAsync(BuildArguments("bounded", "--memory", "1GiB"));
        Assert.That(
            run.Output.IndexOf("memory MiB", StringComparison.Ordinal),
            Is.InRange(0, run.Output.IndexOf("wall s", StringComparison.Ordinal)), "before the report");
        JsonObject report = await ToolRun.JsonAsync(BuildArguments("again", "--memory", "1gib"));
        Assert.That((long)report["memory_budget"]!, Is.EqualTo(1L << 30));
        Assert.That(report.ContainsKey("scratch_bytes_read") && report.ContainsKey("scratch_bytes_written"), Is.True);
    }

    [TestCase("--plan")]
    [TestCase("--verbose")]
    [Platform("Linux")]
    public async Task Too_small_a_budget_is_refused_with_the_least_one(string option)
    {
        ToolRun run = await ToolRun.RunAsync(BuildArguments("least", "--memory", "1", "--plan"));
        run.AssertFailed(ExitCodes.BadInput, "--memory");
        long least = long.Parse(Regex.Match(run.Error, @"at least (\d+) MiB").Groups[1].ValueSpan);
        Assert.That(Directory.Exists(_folder["least"]), Is.False);

        await ToolRun.SucceedAsync(BuildArguments("least", "--memory", $"{least}", option));
        ToolRun below = await ToolRun.RunAsync(BuildArguments("below", "--memory", $"{least - 1}"));
        below.AssertFailed(ExitCodes.BadInput, $"at least {least} MiB");
    }

    private string[] BuildArguments(string index, params string[] more) =>
        ["build", "--base", Base, "--out", _folder[index], "--degree", "16", "--threads", "2", .. more];
}

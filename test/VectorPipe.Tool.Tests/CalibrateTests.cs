using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>The tool calibrates a graph, and then searches it by gain.</summary>
public sealed class CalibrateTests
{
    private SmallIndex _small = null!;
    private TempFolder _folder = null!;

    private string Index => _folder["index"];

    [OneTimeSetUp]
    public async Task BuildIndex()
    {
        _small = await SmallIndex.SharedAsync();
        _folder = new TempFolder();
        _small.CopyTo(Index);
    }

    [OneTimeTearDown]
    public void RemoveIndex() => _folder?.Dispose();

    [Test]
    public async Task The_table_is_printed_and_searches_by_gain_use_it()
    {
        ToolRun run = await ToolRun.SucceedAsync("calibrate", "--index", Index, "--queries", "100");
        Assert.That(run.Output, Does.Contain("gain").And.Contain("recall@10").And.Contain("reads"));
        ToolRun search = await SearchAsync();
        Assert.That(search.ExitCode, Is.Zero, search.Error);
    }

    [Test]
    public async Task Queries_may_come_from_a_file()
    {
        await ToolRun.SucceedAsync(
            "generate", "--out", _folder["own/"], "--points", "200", "--queries", "120", "--dimension", "16", "--type", "float32",
            "--clusters", "3", "--seed", "8", "-k", "1");
        string own = _folder["own/query.fbin"];
        ToolRun made = await ToolRun.SucceedAsync("calibrate", "--index", Index, "--queries", "120", "--format", "json");
        ToolRun run = await ToolRun.SucceedAsync("calibrate", "--index", Index, "--query", own, "--format", "json");
        Assert.That(run.Output, Does.Contain("\"recall\"").And.Not.EqualTo(made.Output));

        (await ToolRun.RunAsync("calibrate", "--index", Index, "--query", own, "--queries", "120"))
            .AssertFailed(ExitCodes.BadInput, "--queries");
        (await ToolRun.RunAsync("calibrate", "--index", Index, "--query", _small.Query))
            .AssertFailed(ExitCodes.BadInput, "100 to 100000 queries; found 60 queries");
    }

    [TestCase("99")]
    [TestCase("100001")]
    public async Task Too_few_and_too_many_queries_are_refused(string queries) =>
        (await ToolRun.RunAsync("calibrate", "--index", Index, "--queries", queries)).AssertFailed(ExitCodes.BadInput, "--queries");

    [Test]
    public async Task An_index_of_few_vectors_is_refused()
    {
        await ToolRun.SucceedAsync(
            "generate", "--out", _folder[""], "--points", "200", "--queries", "1", "--dimension", "16", "--type", "float32", "-k", "1");
        await ToolRun.SucceedAsync("build", "--base", _folder["base.fbin"], "--out", _folder["few"], "--degree", "8");
        (await ToolRun.RunAsync("calibrate", "--index", _folder["few"])).AssertFailed(ExitCodes.BadInput, "at least 1000 vectors");
    }

    private Task<ToolRun> SearchAsync() =>
        ToolRun.RunAsync(
            "search", "--index", Index, "--query", _small.Query, "--truth", _small.Truth, "--device", "memory", "--threshold", "0.05");
}

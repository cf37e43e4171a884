using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class OverloadTests
{
    private readonly TempFolder _folder = new();

    [OneTimeSetUp]
    public async Task BuildAsync()
    {
        await using VectorSource source = await VectorSource.OpenFileAsync(SharedData.DataSet + ".base.u8bin");
        await VectorIndex.BuildAsync(_folder["index"], source);
    }

    [OneTimeTearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task Every_caller_is_answered_or_refused_and_none_is_refused_while_all_may_wait()
    {
        JsonArray rows = (await BenchProcess.ReportAsync(
            [.. Arguments, "--callers", "3000", "--max-queued", "20", "--rounds", "2", "-k", "1", "--quiet"]))["results"]!.AsArray();
        Assert.That(((string)rows[0]!["kind"]!, (long)rows[0]!["ops"]!), Is.EqualTo(("saturated", 20L * 8)));
        Assert.That(
            rows.Skip(1).Select(row => ((string)row!["kind"]!, (string)row["callers"]!, (int)row["round"]!)),
            Is.EqualTo(new[]
            {
                ("answered", "thread", 1), ("refused", "thread", 1), ("answered", "pool", 1), ("refused", "pool", 1),
                ("answered", "thread", 2), ("refused", "thread", 2), ("answered", "pool", 2), ("refused", "pool", 2),
            }));
        for (int i = 1; i < rows.Count; i += 2)
            Assert.That((long)rows[i]!["ops"]! + (long)rows[i + 1]!["ops"]!, Is.EqualTo(3000), "none is lost");
        Assert.That(rows.Where((_, i) => i % 2 == 1).Select(row => (long)row!["ops"]!), Is.All.GreaterThan(0), "some are answered");
    }

    [TestCase("--callers", "4096", "more than the 4096")]
    [TestCase("--max-queued", "0", "1 to 1000000")]
    [TestCase("--rounds", "0", "1 to 1000")]
    [TestCase("-k", "0", "1 to 1000")]
    [TestCase("--threads", "1,2", "one number")]
    [TestCase("--rate", "5", "no pace")]
    public async Task A_bad_option_is_refused(string option, string value, string expected) =>
        (await BenchProcess.RunAsync([.. Arguments, option, value])).AssertFailed(ExitCodes.BadInput, expected);

    private string[] Arguments =>
        ["overload", "--index", _folder["index"], "--query", SharedData.DataSet + ".query.u8bin", "--device", "memory"];
}

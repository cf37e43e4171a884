using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class FollowTests
{
    private readonly TempFolder _folder = new();

    [OneTimeSetUp]
    public async Task BuildAsync()
    {
        await using VectorSource source = await VectorSource.OpenFileAsync(await WriteAsync("base.u8bin", 2000));
        await VectorIndex.BuildAsync(_folder["index"], source);
    }

    [OneTimeTearDown]
    public void RemoveFolder() => _folder.Dispose();

    [TestCase(true)]
    [TestCase(false, Category = "Heavy")]
    public async Task Recall_and_reads_are_measured_before_and_after(bool midpoints)
    {
        string query = await WriteAsync("query.u8bin", 1100);
        string[] options = midpoints ? ["--midpoints"] : [];
        JsonObject report = await BenchProcess.ReportAsync(
            [
                "follow", "--index", _folder["index"], "--query", query, "--target-recall", "0.8,0.95", "--queries", "50",
                "--device", "memory", .. options,
            ]);
        JsonArray rows = report["results"]!.AsArray();
        Assert.That(rows.Select(row => (float)row!["target_recall"]!), Is.EqualTo(new[] { 0.8f, 0.95f }));
        Assert.That(rows.Select(row => (double)row!["recall_built"]!), Is.All.InRange(0.3, 1));
        Assert.That(rows.Select(row => (double)row!["recall_followed"]!), Is.All.InRange(0.6, 1));
        Assert.That(rows.Select(row => (double)row!["reads_built"]!), Is.All.GreaterThan(0));
        Assert.That(rows.Select(row => (double)row!["reads_followed"]!), Is.All.GreaterThan(0));
    }

    [Test]
    public async Task Fewer_queries_than_a_round_takes_are_refused()
    {
        string query = await WriteAsync("few.u8bin", 500);
        (await BenchProcess.RunAsync("follow", "--index", _folder["index"], "--query", query))
            .AssertFailed(ExitCodes.BadInput, "at least 512");
    }

    [TestCase("--queries", "0", "1 to 10000")]
    [TestCase("-k", "1001", "1 to 1000")]
    [TestCase("--target-recall", "0.3", "0.5 to 0.9999")]
    [TestCase("--threads", "1,2", "one number")]
    public async Task A_bad_option_is_refused(string option, string value, string expected) =>
        (await BenchProcess.RunAsync("follow", "--index", _folder["none"], "--query", "none.fbin", option, value))
            .AssertFailed(ExitCodes.BadInput, expected);

    // A header of two numbers, then vectors without any order.
    private async Task<string> WriteAsync(string name, int count)
    {
        const int dimension = 16;
        var bytes = new byte[(2 * sizeof(int)) + (count * dimension)];
        new Random(count).NextBytes(bytes);
        BitConverter.TryWriteBytes(bytes, count);
        BitConverter.TryWriteBytes(bytes.AsSpan(sizeof(int)), dimension);
        string path = _folder[name];
        await File.WriteAllBytesAsync(path, bytes);
        return path;
    }
}

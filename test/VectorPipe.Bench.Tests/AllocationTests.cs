using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

/// <summary>Steady state allocates nothing in the whole process: measured in a process where nothing else runs.</summary>
public sealed class AllocationTests
{
    private const double MeasuredSeconds = 0.3;

    // Not zero: the measurement allocates an object of 24 or 32 bytes, and the runtime now and then another, for any number of operations.
    // There are at least a thousand operations: one object per hundred would be at least 240 bytes.
    private const double FewObjectsBytes = 100;

    // The indexes are built here, and not again by each process.
    [OneTimeSetUp]
    public async Task BuildIndexes()
    {
        await BenchProcess.ReportAsync(
            [.. Search, "--index", SharedData.SearchIndex, "--device", "memory", "-l", "10", "--quiet"]);
        await BenchProcess.ReportAsync(
            ["get", "-n", $"{SharedData.Keys}", "--index", SharedData.GetIndex, "--device", "memory", .. BenchProcess.Short]);
    }

    [TestCase("pipe")]
    [TestCase("beam", Category = "Heavy")]
    [TestCase("pipe", "--cache-mb", "1", Category = "Heavy")]
    [TestCase("beam", "--cache-mb", "1", "--cache-policy", "adaptive", Category = "Heavy")]
    public Task Searches_of_a_graph_allocate_nothing(string mode, params string[] more) =>
        AssertSearchesAllocateNothingAsync(SharedData.SearchIndex, [.. Search, "--mode", mode, "-l", "20", .. more]);

    [Test]
    [Category("Heavy")]
    public async Task Searches_of_lists_allocate_nothing()
    {
        using var folder = new TempFolder();
        await AssertSearchesAllocateNothingAsync(folder["index"], [.. Search, "--kind", "ivf", "--probes", "4"]);
    }

    [Test]
    [Category("Heavy")]
    public Task Look_ups_allocate_nothing() => AssertNothingAsync(
        row => (double)row["allocated_bytes_per_op"]! * (double)row["ops_per_second"]! * MeasuredSeconds, SharedData.GetIndex,
        "get", "-n", $"{SharedData.Keys}");

    private static string[] Search => ["search", "--dataset", SharedData.DataSet, "-k", "1", "--validate", "off"];

    private static Task AssertSearchesAllocateNothingAsync(string index, params string[] args) =>
        AssertNothingAsync(row => (double)row["allocated_bytes_per_query"]! * (double)row["queries"]!, index, args);

    // On a busy machine the warm-up may be over before everything has run once: the least of three runs counts.
    private static async Task AssertNothingAsync(Func<JsonNode, double> bytesOf, string index, params string[] args)
    {
        JsonNode row = await MeasureAsync(index, args);
        for (int more = 2; more > 0 && bytesOf(row) >= FewObjectsBytes; more--)
            row = await MeasureAsync(index, args);
        Assert.That(bytesOf(row), Is.LessThan(FewObjectsBytes), $"bytes allocated by the whole process: {row.ToJsonString()}");
    }

    private static async Task<JsonNode> MeasureAsync(string index, params string[] args)
    {
        JsonObject report = await BenchProcess.ReportOfOwnProcessAsync(
            [
                .. args, "--index", index, "--device", "memory", "--runsec", $"{MeasuredSeconds}", "--warmup-sec", "0.4",
                "--quiet",
            ]);
        return report["results"]!.AsArray().Single()!;
    }
}

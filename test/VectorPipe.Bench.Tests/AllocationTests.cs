using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

/// <summary>Steady state allocates nothing in the whole process: measured in a process where nothing else runs.</summary>
public sealed class AllocationTests
{
    // The measurement itself makes one object of 24 or 32 bytes a run of hundreds of operations. The smallest object every hundred
    // operations would be 0.24.
    private const double BoundBytes = 0.2;

    [TestCase("pipe")]
    [TestCase("beam")]
    [TestCase("pipe", "--cache-mb", "1")]
    [TestCase("beam", "--cache-mb", "1", "--cache-policy", "adaptive")]
    public Task Searches_of_a_graph_allocate_nothing(string mode, params string[] more) =>
        AssertNothingAllocatedAsync("allocated_bytes_per_query", [.. Search, "--mode", mode, "-l", "20", .. more]);

    [Test]
    public Task Searches_of_lists_allocate_nothing() =>
        AssertNothingAllocatedAsync("allocated_bytes_per_query", [.. Search, "--kind", "ivf", "--probes", "4"]);

    [Test]
    public Task Look_ups_allocate_nothing() =>
        AssertNothingAllocatedAsync("allocated_bytes_per_op", "get", "-n", $"{SharedData.Keys}");

    private static string[] Search => ["search", "--dataset", SharedData.DataSet, "-k", "1", "--validate", "off"];

    private static async Task AssertNothingAllocatedAsync(string column, params string[] args)
    {
        using var folder = new TempFolder();
        JsonObject report = await BenchProcess.ReportOfOwnProcessAsync(
            [.. args, "--data-path", folder["index"], "--device", "memory", "--runsec", "0.5", "--warmup-sec", "0.5", "--quiet"]);
        foreach (JsonNode? row in report["results"]!.AsArray())
            Assert.That((double)row![column]!, Is.LessThan(BoundBytes), $"{column}: {row.ToJsonString()}");
    }
}

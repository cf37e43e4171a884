using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class SearchTests
{
    [TestCase("auto")]
    [TestCase("portable")]
    [TestCase("memory")]
    [TestCase("memory-ring")]
    public async Task Every_device_finds_the_nearest(string device)
    {
        JsonObject row = (await ReportAsync("--device", device, "--mode", "pipe", "-l", "40"))["results"]![0]!.AsObject();
        Assert.That((double)row["recall"]!, Is.GreaterThan(0.9));
        Assert.That((double)row["qps"]!, Is.GreaterThan(0));
    }

    [Test]
    public async Task Every_mode_number_of_threads_and_list_size_has_its_result()
    {
        JsonObject report = await ReportAsync("--device", "memory", "--mode", "beam,pipe", "--run-threads-sweep", "1,2", "-l", "10,20");
        Assert.That(
            report["results"]!.AsArray().Select(row => ((string)row!["mode"]!, (int)row["threads"]!, (int)row["list_size"]!)),
            Is.EqualTo(new[]
            {
                ("beam", 1, 10), ("beam", 1, 20), ("beam", 2, 10), ("beam", 2, 20),
                ("pipe", 1, 10), ("pipe", 1, 20), ("pipe", 2, 10), ("pipe", 2, 20),
            }));
    }

    [Test]
    public async Task Bytes_are_those_of_the_reads()
    {
        JsonNode row = (await ReportAsync("--device", "memory", "-l", "20", "--mode", "pipe"))["results"]![0]!;
        Assert.That((double)row["bytes_per_query"]!, Is.EqualTo((double)row["reads_per_query"]! * 4096).Within(0.5));
    }

    [Test]
    public async Task The_queue_depth_is_that_of_the_reads_in_flight()
    {
        // Reads of 2 ms: a query alone has between one read and its beam in flight, nearly all the time.
        JsonNode row = (await ReportAsync("--device", "memory-ring", "--latency-us", "2000", "-l", "10", "--queries-in-flight", "1", "--mode", "pipe"))["results"]![0]!;
        Assert.That((double)row["mean_queue_depth"]!, Is.InRange(0.5, 4));
    }

    [Test]
    public async Task Passes_are_repeated_for_the_time_that_is_asked_for()
    {
        JsonNode row = (await ReportAsync("--device", "memory", "-l", "10", "--mode", "pipe", "--runsec", "0.2"))["results"]![0]!;
        Assert.That((int)row["queries"]!, Is.GreaterThanOrEqualTo(2 * SharedData.Queries));
    }

    [TestCase("--cold")]
    [TestCase("--warm")]
    public async Task The_page_cache_can_be_prepared(string option)
    {
        if (!OperatingSystem.IsLinux() && option == "--cold")
            Assert.Ignore("Only Linux drops files from its page cache when asked to.");
        JsonObject report = await ReportAsync(option, "--device", "portable", "-l", "10", "--mode", "pipe");
        Assert.That(report["results"]!.AsArray(), Has.Count.EqualTo(1));
    }

    private static Task<JsonObject> ReportAsync(params string[] more) =>
        BenchProcess.ReportAsync(["search", "--dataset", SharedData.DataSet, "--data-path", SharedData.SearchIndex, "-k", "1", "--quiet", .. more]);
}

using System.Text.Json.Nodes;
using System.Xml.Linq;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

/// <summary>Column names are an interface: programs that read reports depend on them.</summary>
public sealed class ReportTests
{
    private static readonly string[] _deviceColumns =
    [
        "iops", "depth", "threads", "read_bytes", "syscalls_per_read", "cpu_us_per_read", "mean_us", "p50_us", "p95_us", "p99_us",
        "p999_us", "max_us",
        "mean_queue_depth", "allocated_bytes_per_read", "gcs", "errors", "pipeline_ns_per_read", "verify_ns_per_read", "copy_ns_per_read",
    ];

    private static readonly string[] _getColumns =
    [
        "store", "ops_per_second", "reads_per_op", "threads", "batch_size", "syscalls_per_read", "cpu_us_per_op", "mean_us", "p50_us",
        "p95_us",
        "p99_us", "p999_us", "max_us",
        "mean_queue_depth", "allocated_bytes_per_op", "gcs", "errors",
    ];

    private static readonly string[] _searchColumns =
    [
        "kind", "policy", "list_size", "threshold", "target_recall", "probes", "width", "beam_width", "recall", "qps", "mean_us", "p50_us",
        "p95_us", "p99_us", "p999_us", "max_us",
        "queue_us_per_query", "compute_us_per_query", "io_us_per_query", "reads_per_query", "read_bytes_per_query", "pages_read_per_query",
        "cache_hits_per_query", "cache_hit_rate", "rounds_per_query", "hops_per_query", "code_distances_per_query",
        "exact_distances_per_query", "allocated_bytes_per_query", "cpu_us_per_query", "gcs", "errors", "queries", "threads",
        "queries_in_flight", "mode", "device",
        "mean_queue_depth", "syscalls_per_read", "reads_per_second", "device_share",
    ];

    private readonly TempFolder _folder = new();

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [TestCase("device")]
    [TestCase("get")]
    [TestCase("search")]
    public async Task Json_and_csv_have_the_same_columns_and_rows(string verb)
    {
        string csv = _folder[$"{verb}.csv"];
        JsonObject report = await BenchProcess.ReportAsync([.. ArgumentsOf(verb), "--csv-output", csv]);
        string[] columns = verb == "device" ? _deviceColumns : verb == "get" ? _getColumns : _searchColumns;
        JsonArray results = report["results"]!.AsArray();
        string[][] lines = [.. (await File.ReadAllLinesAsync(csv)).Select(line => line.Split(','))];
        Assert.That(lines[0], Is.EqualTo(columns));
        Assert.That(lines.Skip(1).Count(), Is.EqualTo(results.Count).And.EqualTo(2));
        for (int i = 0; i < results.Count; i++)
        {
            Assert.That(results[i]!.AsObject().Select(property => property.Key), Is.EqualTo(columns));
            Assert.That(lines[i + 1], Is.EqualTo(results[i]!.AsObject().Select(property => property.Value?.ToString() ?? "")));
        }
    }

    [TestCase("device", Category = "Heavy")]
    [TestCase("get")]
    [TestCase("search")]
    [TestCase("build")]
    public async Task The_configuration_has_all_that_a_repetition_needs(string verb)
    {
        JsonObject report = await BenchProcess.ReportAsync(ArgumentsOf(verb));
        JsonObject configuration = report["configuration"]!.AsObject();
        Assert.That(
            configuration.Select(property => property.Key),
            Is.SupersetOf(
                new[] { "verb", "threads", "seed", "iterations", "device", "device_requested", "data_path", "commit", "version", "host" }));
        Assert.That(
            configuration["host"]!.AsObject().Select(property => property.Key),
            Is.SupersetOf(new[] { "processors", "processor", "memory_bytes", "kernel", "framework" }));
    }

    [Test]
    public async Task The_configuration_is_printed()
    {
        BenchProcess run = await BenchProcess.RunAsync([.. ArgumentsOf("device").Where(argument => argument != "--quiet")]);
        Assert.That(run.Output, Does.Contain("seed: 211").And.Contain("commit: ").And.Contain("kernel").And.Contain("device: \"memory\""));
    }

    [TestCase("device", 2, 1, Category = "Heavy")]
    [TestCase("get", 2, 1)]
    [TestCase("search", 5, 1)]
    public async Task A_chart_is_drawn(string verb, int panels, int series)
    {
        string path = _folder[$"{verb}.svg"];
        await BenchProcess.ReportAsync([.. ArgumentsOf(verb), "--chart", path]);
        XElement[] drawn = [.. XDocument.Load(path).Descendants().Where(element => element.Attribute("class")?.Value == "panel")];
        Assert.That(drawn, Has.Length.EqualTo(panels));
        Assert.That(
            drawn.Select(panel => panel.Descendants().Count(element => element.Attribute("class")?.Value == "series")),
            Has.All.EqualTo(series));
    }

    [Test]
    public async Task A_sweep_of_threads_and_list_sizes_is_drawn_against_both()
    {
        string path = _folder["sweep.svg"];
        await BenchProcess.ReportAsync(
            [.. ArgumentsOf("search")
            .Select(argument => argument == "pipe" ? "beam,pipe" : argument), "--run-threads-sweep", "1,2", "--chart", path]);
        XElement[] titles = [.. XDocument.Load(path).Descendants().Where(element => element.Attribute("font-weight") is not null)];
        Assert.That(titles.Select(title => title.Value), Is.EqualTo(new[]
        {
            "Search", "Throughput", "Mean latency", "95th percentile of latency", "99.9th percentile of latency",
            "Throughput against recall", "Reads against recall", "Bytes read against recall", "Mean latency against recall",
            "Processor time against recall",
        }));
    }

    private string[] ArgumentsOf(string verb) => verb switch
    {
        "device" =>
            ["device", "--data-path", SharedData.Pages, "--data-mb", "1", "--device", "memory", "--device-throttle-limit", "4,8",
            .. BenchProcess.Short],
        "get" =>
        ["get", "--index", SharedData.GetIndex, "-n", $"{SharedData.Keys}", "--device", "memory", "--run-threads-sweep", "1,2",
        .. BenchProcess.Short],
        "build" => ["build", "--dataset", $"{SharedData.DataSet}.base.u8bin", "--data-path", _folder["build"], "--degree", "16", "--quiet"],
        _ =>
        [
            "search", "--dataset", SharedData.DataSet, "--index", SharedData.SearchIndex, "--device", "memory", "-k", "1", "--mode",
            "pipe",
            "-l", "10,20", "--quiet",
        ],
    };
}

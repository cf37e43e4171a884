using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

public sealed class ReportTests
{
    private static readonly string[] _resultColumns =
    [
        "kind", "list_size", "threshold", "target_recall", "probes", "beam_width", "recall", "qps", "mean_us", "p50_us", "p95_us", "p99_us",
        "p999_us", "max_us",
        "queue_us_per_query", "compute_us_per_query", "io_us_per_query", "reads_per_query", "read_bytes_per_query", "pages_read_per_query",
        "cache_hits_per_query", "cache_hit_rate", "rounds_per_query", "hops_per_query", "code_distances_per_query",
        "exact_distances_per_query",
        "allocated_bytes_per_query", "cpu_us_per_query", "gcs", "errors", "queries", "threads", "queries_in_flight", "mode", "device",
    ];

    private readonly TempFolder _folder = new();
    private SmallIndex _small = null!;

    [OneTimeSetUp]
    public async Task BuildIndex() => _small = await SmallIndex.SharedAsync();

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task A_build_report_has_the_agreed_names()
    {
        JsonObject report = await ReadAsync(_small.BuildReport);
        string[] expected =
        [
            "wall_seconds", "cpu_seconds", "peak_rss_bytes", "memory_budget", "scratch_bytes_read", "scratch_bytes_written", "points",
            "dimension", "degree_mean", "reachable",
            "found_themselves", "index_bytes", "phases", "configuration",
        ];
        Assert.That(NamesOf(report), Is.EqualTo(expected));
        Assert.That(NamesOf(report["phases"]![0]!.AsObject()), Is.EqualTo(new[] { "name", "wall_seconds", "cpu_seconds" }));
    }

    [Test]
    public async Task A_build_report_counts_the_points()
    {
        JsonObject report = await ReadAsync(_small.BuildReport);
        Assert.That((long)report["points"]!, Is.EqualTo(SmallIndex.Points));
        Assert.That((long)report["reachable"]!, Is.EqualTo(SmallIndex.Points));
        Assert.That((double)report["found_themselves"]!, Is.InRange(0.99, 1));
        Assert.That((int)report["dimension"]!, Is.EqualTo(16));
        Assert.That((long)report["peak_rss_bytes"]!, Is.GreaterThan(1_000_000));
        long onDisk = new DirectoryInfo(_small.Index).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Length);
        Assert.That((long)report["index_bytes"]!, Is.GreaterThan(0).And.LessThanOrEqualTo(onDisk));
    }

    [Test]
    public async Task A_search_report_has_the_agreed_names()
    {
        JsonObject report = await SearchAsync("--truth", _small.Truth, "--list-size", "20,40");
        Assert.That(NamesOf(report), Is.EqualTo(new[] { "configuration", "results" }));
        Assert.That(NamesOf(report["results"]![0]!.AsObject()), Is.EqualTo(_resultColumns));
        Assert.That(NamesOf(report["configuration"]!.AsObject()), Is.SupersetOf(new[] { "host", "device", "commit", "beam_width", "k" }));
    }

    [Test]
    public async Task Every_list_size_has_its_result()
    {
        JsonObject report = await SearchAsync("--list-size", "20,40", "--threads", "2", "--queries-in-flight", "5");
        Assert.That(report["results"]!.AsArray().Select(result => (int)result!["list_size"]!), Is.EqualTo(new[] { 20, 40 }));
        JsonObject first = report["results"]![0]!.AsObject();
        Assert.That(
            ((int)first["queries"]!, (int)first["threads"]!, (int)first["queries_in_flight"]!), Is.EqualTo((SmallIndex.Queries, 2, 5)));
        Assert.That(((string)first["mode"]!, (string)first["device"]!), Is.EqualTo(("pipe", "memory")));
    }

    [Test]
    public async Task The_cost_of_a_read_grows_with_the_threads()
    {
        // In beam mode the distances of a query depend on the threads only through the effort that is chosen for them.
        Assert.That(
            await DistancesAsync(15, threads: 1), Is.EqualTo(await DistancesAsync(0, threads: 1)),
            "a read of 15 us is cheap for one thread");
        Assert.That(await DistancesAsync(15, threads: 32), Is.EqualTo(await DistancesAsync(100_000, threads: 32)), "and expensive for 32");
        Assert.That(
            await DistancesAsync(0, threads: 1), Is.Not.EqualTo(await DistancesAsync(100_000, threads: 1)), "the cost changes the search");

        async Task<(double, double)> DistancesAsync(int readCostUs, int threads)
        {
            JsonNode result = (
                await SearchAsync(
                    "--threshold", "0.01", "--mode", "beam", "--read-cost-us", $"{readCostUs}", "--threads", $"{threads}"))["results"]![0]!;
            return ((double)result["code_distances_per_query"]!, (double)result["pages_read_per_query"]!);
        }
    }

    [Test]
    public async Task Reads_are_counted_at_the_device()
    {
        JsonObject report = await SearchAsync("--list-size", "40");
        Assert.That((double)report["results"]![0]!["reads_per_query"]!, Is.GreaterThan(1).And.LessThan(SmallIndex.Points));
    }

    [Test]
    public async Task Percentiles_ascend()
    {
        JsonNode result = (await SearchAsync("--list-size", "40"))["results"]![0]!;
        string[] names = ["p50_us", "p95_us", "p99_us", "p999_us", "max_us"];
        Assert.That(names.Select(name => (double)result[name]!), Is.Ordered);
        Assert.That((double)result["p50_us"]!, Is.GreaterThan(0));
    }

    [Test]
    public async Task Without_a_truth_recall_is_null()
    {
        JsonObject report = await SearchAsync("--list-size", "20");
        Assert.That(report["results"]![0]!.AsObject().TryGetPropertyValue("recall", out JsonNode? recall), Is.True);
        Assert.That(recall, Is.Null);
    }

    [Test]
    public async Task Without_a_truth_the_table_shows_a_dash()
    {
        ToolRun run = await _small.SearchAsync("--list-size", "20");
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        Assert.That(run.Output, Does.Match(@"20[ │|]+-[ │|]"));
    }

    [Test]
    public async Task Csv_has_the_columns_of_the_json()
    {
        ToolRun run = await _small.SearchAsync("--truth", _small.Truth, "--list-size", "20,40", "--format", "csv");
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        string[] lines = run.Output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.That(lines, Has.Length.EqualTo(3));
        Assert.That(lines[0].Split(','), Is.EqualTo(_resultColumns));
        Assert.That(lines[1].Split(','), Has.Length.EqualTo(_resultColumns.Length));
        Assert.That(lines[2], Does.StartWith("graph,40,,,,,").And.EndWith(",pipe,memory"));
    }

    [Test]
    public async Task Without_a_setting_one_search_aims_at_a_recall()
    {
        JsonArray results = (await SearchAsync("--truth", _small.Truth))["results"]!.AsArray();
        Assert.That(results, Has.Count.EqualTo(1));
        Assert.That((double)results[0]!["target_recall"]!, Is.EqualTo(0.95));
        Assert.That((double)results[0]!["recall"]!, Is.GreaterThan(0.9));
    }

    [Test]
    public async Task A_sweep_searches_at_several_recalls()
    {
        JsonArray results = (await SearchAsync("--sweep"))["results"]!.AsArray();
        Assert.That(results.Select(result => (double)result!["target_recall"]!), Is.EqualTo(new[] { 0.8, 0.9, 0.95, 0.98, 0.99 }));
    }

    [Test]
    public async Task A_trace_is_a_chrome_trace()
    {
        ToolRun run = await _small.SearchAsync("--list-size", "20", "--trace", _folder["trace.json"]);
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        JsonObject trace = await ReadAsync(_folder["trace.json"]);
        Assert.That(trace["traceEvents"]!.AsArray(), Is.Not.Empty);
    }

    [Test]
    public async Task Inspect_shows_schema_and_files()
    {
        ToolRun run = await ToolRun.SucceedAsync("inspect", "--index", _small.Index);
        Assert.That(run.Output, Does.Contain("Float32").And.Contain("Nodes").And.Contain($"{SmallIndex.Points}"));
    }

    [Test]
    public async Task Inspect_shows_the_content_of_a_page_and_of_memory()
    {
        ToolRun run = await ToolRun.SucceedAsync("inspect", "--index", _small.Index);
        string[] lines = run.Output.Split('\n');
        foreach ((string name, string value) in new[]
        {
            ("original vector, bytes", "64 (Float32)"),
            ("vector in a page, bytes", "32 (Float16)"),
            ("original vectors ", "in a file of their own"),
            ("page, bytes", "4096"),
            ("nodes a page", "20"),
            ("replicas a page", "13"),
            ("memory, codes", "a vector"),
            ("memory, all", "a vector"),
            ("file, Nodes", "pages of 4096 bytes"),
        })
        {
            Assert.That(lines.Count(line => line.Contains(name) && line.Contains(value)), Is.EqualTo(1), name);
        }
    }

    [Test]
    public async Task Output_outside_a_terminal_has_no_escape_sequences()
    {
        ToolRun run = await ToolRun.SucceedAsync("inspect", "--index", _small.Index);
        Assert.That(run.Output, Does.Not.Contain('\u001b'));
    }

    private async Task<JsonObject> SearchAsync(params string[] more)
    {
        ToolRun run = await _small.SearchAsync(["--format", "json", .. more]);
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        return JsonNode.Parse(run.Output)!.AsObject();
    }

    private static async Task<JsonObject> ReadAsync(string path) => JsonNode.Parse(await File.ReadAllTextAsync(path))!.AsObject();

    private static IEnumerable<string> NamesOf(JsonObject json) => json.Select(property => property.Key);
}

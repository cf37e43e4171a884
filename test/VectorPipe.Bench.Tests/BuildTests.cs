using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class BuildTests
{
    private readonly TempFolder _folder = new();
    private Task<JsonArray>? _variants;

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task Every_variant_is_built_and_searched()
    {
        JsonArray rows = await VariantsAsync();
        Assert.That(
            rows.Where(IsBuild).Select(row => ((string)row!["algorithm"]!, (int)row["build_threads"]!)),
            Is.EqualTo(new[] { ("partitioned", 1), ("partitioned", 2), ("vamana", 1), ("vamana", 2) }));
        Assert.That(
            rows.Where(row => (string)row!["row"]! == "search" && (string)row["variant"]! == "vamana-2t")
            .Select(row => ((string)row!["mode"]!, (int)row["list_size"]!)),
            Is.EqualTo(new[] { ("beam", 10), ("beam", 20), ("pipe", 10), ("pipe", 20) }));
        Assert.That(rows, Has.Count.EqualTo(4 * 5));
    }

    [Test]
    public async Task The_default_is_the_build_of_the_library()
    {
        JsonObject report = await BenchProcess.ReportAsync(
            "build", "--data-path", _folder["defaults"], "--device", "memory", "--quiet", "--generate", "clusters", "-n", "600", "--dim",
            "16", "--queries", "20", "--degree", "16");
        JsonNode build = report["results"]![0]!;
        Assert.That(
            ((string)build["algorithm"]!, (string)build["layout"]!, (string)build["code"]!), Is.EqualTo(("partitioned", "merged", "opq")));
    }

    [Test]
    public async Task The_report_shows_byte_identity()
    {
        JsonArray rows = await VariantsAsync();
        Assert.That(rows.Where(IsBuild).Select(row => (bool)row!["same_as_first"]!), Is.EqualTo(new[] { true, true, false, false }));
        JsonNode[] builds = [.. rows.Where(IsBuild).Select(row => row!)];
        Assert.That((string)builds[1]["sha256_MANIFEST"]!, Has.Length.EqualTo(64).And.EqualTo((string)builds[0]["sha256_MANIFEST"]!));
        Assert.That((string)builds[2]["sha256_MANIFEST"]!, Is.Not.EqualTo((string)builds[0]["sha256_MANIFEST"]!));
    }

    [Test]
    [Category("Heavy")]
    public async Task Each_layout_is_searched_by_its_own_policy()
    {
        JsonArray rows =
            await RowsAsync("-n", "1000", "--layout", "plain,merged", "--code", "pq,opq", "-l", "40", "--threshold", "0.1,0.02");
        Assert.That(
            rows.Where(IsBuild).Select(row => ((string)row!["layout"]!, (string)row["code"]!, (string)row["variant"]!)),
            Is.EqualTo(new[]
            {
                ("plain", "pq", "partitioned-1t"), ("plain", "opq", "partitioned-opq-1t"),
                ("merged", "pq", "partitioned-merged-1t"), ("merged", "opq", "partitioned-merged-opq-1t"),
            }));
        JsonNode[] searches = [.. rows.Where(row => !IsBuild(row)).Select(row => row!)];
        Assert.That(
            searches.Select(row => ((string)row["layout"]!, (string)row["policy"]!, (double?)row["threshold"], (int?)row["list_size"])),
            Is.EqualTo(new (string, string, double?, int?)[]
            {
                ("plain", "list", null, 40), ("plain", "list", null, 40),
                ("merged", "gain", 0.1, null), ("merged", "gain", 0.02, null), ("merged", "gain", 0.1, null), (
                    "merged", "gain", 0.02, null),
            }));
        Assert.That(
            searches.Select(row => row["reads_difference_percent"] is null), Is.EqualTo(new[] { false, false, true, true, true, true }),
            "other policies are not compared");
    }

    [TestCase("0", false)]
    [TestCase("64", true)]
    public async Task A_cache_of_all_pages_saves_all_reads(string cacheMb, bool isResident)
    {
        JsonNode search = (await RowsAsync("-l", "20", "--cache-mb", cacheMb))[1]!;
        Assert.That((double)search["reads_per_query"]! == 0, Is.EqualTo(isResident));
        Assert.That((double)search["cache_hits_per_query"]! > 0, Is.EqualTo(isResident));
    }

    [Test]
    [Platform("Linux")]
    public async Task A_build_within_a_budget_gives_the_same_files()
    {
        JsonArray rows = await RowsAsync("--memory", "0,256", "-l", "10");
        JsonNode[] builds = [.. rows.Where(IsBuild).Select(row => row!)];
        Assert.That(builds.Select(build => (int?)build["memory_mb"]), Is.EqualTo(new int?[] { null, 256 }));
        Assert.That((string)builds[1]["variant"]!, Does.EndWith("-256MiB"));
        Assert.That((bool)builds[1]["same_as_first"]!, Is.True);
    }

    [Test]
    [Platform("Linux")]
    public async Task Too_small_a_budget_is_refused_and_the_least_is_named()
    {
        using var folder = new TempFolder();
        (await BenchProcess.RunAsync(ArgumentsOf(folder["data"], "--memory", "1")))
            .AssertFailed(ExitCodes.BadInput, "--memory: Expected at least");
        Assert.That(Directory.GetDirectories(folder["data"]), Is.Empty);
    }

    [Test]
    public async Task A_build_reports_its_cost()
    {
        JsonNode build = (await RowsAsync("-l", "10")).First(IsBuild)!;
        Assert.That((double)build["wall_seconds"]!, Is.GreaterThan(0));
        Assert.That((double)build["graph_wall_seconds"]!, Is.GreaterThan(0).And.LessThanOrEqualTo((double)build["wall_seconds"]!));
        Assert.That((long)build["memory_before_bytes"]!, Is.GreaterThan(1 << 20));
        Assert.That(
            (long)build["overhead_bytes"]!,
            Is.EqualTo((long)build["memory_peak_bytes"]! - (long)build["memory_before_bytes"]!).And.GreaterThanOrEqualTo(0));
        Assert.That((long)build["index_bytes"]!, Is.GreaterThan(0));
        Assert.That((double)build["found_themselves"]!, Is.GreaterThan(0.9));
        Assert.That(build["bytes_written"] is not null, Is.EqualTo(File.Exists("/proc/self/io")));
    }

    [Test]
    public async Task Differences_refer_to_the_first_variant()
    {
        JsonNode[] searches = [.. (await VariantsAsync()).Where(row => !IsBuild(row)).Select(row => row!)];
        (JsonNode first, JsonNode second) = (SearchOf("partitioned-1t"), SearchOf("vamana-1t"));
        Assert.That((double)first["recall_difference_points"]!, Is.Zero);
        Assert.That(
            (double)second["recall_difference_points"]!,
            Is.EqualTo(100 * ((double)second["recall"]! - (double)first["recall"]!)).Within(1e-9));
        Assert.That(
            (double)second["reads_difference_percent"]!,
            Is.EqualTo(100 * (((double)second["reads_per_query"]! / (double)first["reads_per_query"]!) - 1)).Within(1e-9));

        JsonNode SearchOf(string variant) => searches.Single(
            row => (string)row["variant"]! == variant && (string)row["mode"]! == "pipe" && (int)row["list_size"]! == 20);
    }

    [TestCase("uniform", "float32")]
    [TestCase("clusters", "int8")]
    [TestCase("duplicates", "uint8")]
    [TestCase("norms", "float16")]
    public async Task Every_kind_of_vectors_is_found(string kind, string type)
    {
        JsonArray rows = await RowsAsync("--generate", kind, "--type", type, "-l", "100");
        Assert.That((double)rows[1]!["recall"]!, Is.GreaterThan(0.9));
    }

    [Test]
    public async Task Vectors_of_files_are_used_unchanged()
    {
        using var folder = new TempFolder();
        JsonObject report = await BenchProcess.ReportAsync(
            "build", "--data-path", folder["data"], "--device", "memory", "--quiet", "--dataset", $"{SharedData.DataSet}.base.u8bin",
            "--query", $"{SharedData.DataSet}.query.u8bin", "--truth", $"{SharedData.DataSet}.truth.bin", "-k", "1", "-l", "40", "--degree",
            "16");
        JsonNode search = report["results"]![1]!;
        Assert.That((double)search["recall"]!, Is.GreaterThan(0.9));
        Assert.That((int)search["queries"]!, Is.EqualTo(SharedData.Queries));
        Assert.That(Directory.GetFileSystemEntries(folder["data"]), Is.Empty);
    }

    [Test]
    public async Task Without_queries_there_is_no_search()
    {
        using var folder = new TempFolder();
        JsonObject report = await BenchProcess.ReportAsync(
            "build", "--data-path", folder["data"], "--quiet", "--dataset", $"{SharedData.DataSet}.base.u8bin", "--degree", "16");
        Assert.That(report["results"]!.AsArray().Select(row => (string)row!["row"]!), Is.EqualTo(new[] { "build" }));
    }

    [Test]
    public async Task Data_is_made_once_and_no_index_is_left()
    {
        using var folder = new TempFolder();
        await BenchProcess.ReportAsync(ArgumentsOf(folder["data"], "-l", "10"));
        string[] files = Directory.GetFiles(folder["data"]);
        Assert.That(files, Has.Length.EqualTo(3), "base, queries and truth");
        Assert.That(Directory.GetDirectories(folder["data"]), Is.Empty);

        // Existing files are not written again, even if they hold other vectors.
        string queries = files.Single(file => file.Contains(".query-", StringComparison.Ordinal));
        byte[] changed = await File.ReadAllBytesAsync(queries);
        changed[^1] ^= 1;
        await File.WriteAllBytesAsync(queries, changed);
        await BenchProcess.ReportAsync(ArgumentsOf(folder["data"], "-l", "10"));
        Assert.That(await File.ReadAllBytesAsync(queries), Is.EqualTo(changed));
        Assert.That(Directory.GetFiles(folder["data"]), Is.EquivalentTo(files));
    }

    [Test]
    public async Task Indexes_are_kept_on_request()
    {
        using var folder = new TempFolder();
        await BenchProcess.ReportAsync(ArgumentsOf(folder["data"], "-l", "10", "--keep"));
        await BenchProcess.ReportAsync(ArgumentsOf(folder["data"], "-l", "10", "--keep"));
        string[] indexes = [.. Directory.GetDirectories(folder["data"]).SelectMany(Directory.GetDirectories)];
        Assert.That(indexes.Select(index => VectorIndex.Inspect(index).Generation), Is.EqualTo(new[] { 1, 1 }));
    }

    [Test]
    public async Task A_cancelled_run_leaves_no_index()
    {
        using var folder = new TempFolder();
        using var cancellation = new CancellationTokenSource();
        await using var output = new CancellingWriter("[build 2 of 2]", cancellation);
        await using var error = new StringWriter();
        string[] args = [.. ArgumentsOf(folder["data"], "--threads", "1,2", "-l", "10", "--keep").Where(argument => argument != "--quiet")];
        int exitCode = await BenchCli.RunAsync(args, output, error, cancellation.Token);
        Assert.That(exitCode, Is.EqualTo(ExitCodes.Cancelled), error.ToString());
        Assert.That(Directory.GetDirectories(folder["data"]), Is.Empty);
        Assert.That(Directory.GetFiles(folder["data"]), Has.Length.EqualTo(3), "made data stays");
    }

    [Test]
    public async Task Rows_of_both_kinds_have_the_columns_of_both()
    {
        string csv = _folder["build.csv"];
        JsonArray rows = await RowsAsync("-l", "10", "--csv-output", csv);
        string[] columns = [.. rows[0]!.AsObject().Select(property => property.Key)];
        Assert.That(columns, Is.Unique);
        Assert.That(columns, Is.SupersetOf(new[]
        {
            "row", "variant", "algorithm", "layout", "code", "build_threads", "memory_mb", "wall_seconds", "cpu_seconds",
                "cpu_difference_percent", "overhead_bytes", "overhead_difference_percent",
            "bytes_read", "bytes_written", "index_bytes", "found_themselves", "degree_mean", "same_as_first", "graph_wall_seconds",
            "graph_cpu_seconds", "sha256_MANIFEST",
            "list_size", "recall", "qps", "mean_us", "p99_us", "reads_per_query", "hops_per_query", "threads", "mode", "device",
            "recall_difference_points", "reads_difference_percent", "mean_us_difference_percent",
        }));
        Assert.That(rows[1]!.AsObject().Select(property => property.Key), Is.EqualTo(columns));
        string[][] lines = [.. (await File.ReadAllLinesAsync(csv)).Select(line => line.Split(','))];
        Assert.That(lines, Has.Length.EqualTo(3));
        Assert.That(lines[0], Is.EqualTo(columns));
        for (int i = 0; i < rows.Count; i++)
            Assert.That(lines[i + 1], Is.EqualTo(rows[i]!.AsObject().Select(property => property.Value?.ToString() ?? "")));
    }

    [Test]
    public async Task Tables_show_builds_phases_files_and_searches()
    {
        BenchProcess run = await BenchProcess.RunAsync(ArgumentsOf(_folder["data"], "-l", "10"));
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        Assert.That(run.Output, Does.Contain("same as first").And.Contain("graph").And.Contain("SHA-256").And.Contain("recall@10"));
    }

    [TestCase("--generate", "spirals", "uniform, clusters, duplicates, norms")]
    [TestCase("--points", "9", "k (10) or more")]
    [TestCase("--dim", "0", "1 to 32768")]
    [TestCase("--queries", "0", "--queries")]
    [TestCase("--type", "int64", "uint8")]
    [TestCase("--metric", "l3", "l2, ip, cosine")]
    [TestCase("--algorithm", "partitioned,magic", "partitioned, vamana")]
    [TestCase("--threads", "1,0", "--threads")]
    [TestCase("--memory", "256,-1", "0 (no bound) or more MiB")]
    [TestCase("--degree", "2", "--degree")]
    [TestCase("--build-list-size", "8", "--build-list-size")]
    [TestCase("--alpha", "3", "--alpha")]
    [TestCase("--code-bytes", "17", "--code-bytes")]
    [TestCase("--layout", "pages", "merged, plain")]
    [TestCase("--code", "zip", "pq, opq")]
    [TestCase("--policy", "luck", "gain, ratio, list")]
    [TestCase("--threshold", "0", "above 0")]
    [TestCase("--target-recall", "2", "0.5 to 0.9999")]
    [TestCase("--follow-factor", "0.5", "1 or more")]
    [TestCase("--cache-policy", "all", "static, adaptive")]
    [TestCase("--cache-mb", "-1", "0 or more")]
    [TestCase("--list-size", "5", "k (10)")]
    [TestCase("--mode", "swim", "pipe, beam")]
    [TestCase("--dataset", "x.fbin", "either --dataset or --generate")]
    [TestCase("--query", "x.fbin", "--query")]
    [TestCase("--truth", "x.bin", "--truth")]
    [TestCase("--rate", "5", "--rate")]
    [TestCase("--iterations", "2", "--iterations")]
    [TestCase("--chart", "x.svg", "--chart")]
    public async Task Bad_options_are_refused_before_anything_is_written(string option, string value, string expected)
    {
        using var folder = new TempFolder();
        string[] generate = option == "--generate" ? [] : ["--generate", "uniform"];
        string[] dimension = option == "--dim" ? [] : ["--dim", "16"];
        BenchProcess run = await BenchProcess.RunAsync(["build", "--data-path", folder["data"], .. generate, .. dimension, option, value]);
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(Directory.Exists(folder["data"]), Is.False);
    }

    [Test]
    public async Task A_build_without_data_is_bad_usage() =>
        (await BenchProcess.RunAsync("build")).AssertFailed(ExitCodes.BadInput, "either --dataset or --generate");

    private static bool IsBuild(JsonNode? row) => (string)row!["row"]! == "build";

    /// <summary>Builds and searches of two algorithms, which several tests look at.</summary>
    private Task<JsonArray> VariantsAsync() => _variants ??=
        RowsAsync("--algorithm", "partitioned,vamana", "--threads", "1,2", "-l", "10,20", "--mode", "beam,pipe");

    private async Task<JsonArray> RowsAsync(params string[] more) =>
        (await BenchProcess.ReportAsync(ArgumentsOf(_folder["data"], more)))["results"]!.AsArray();

    private static string[] ArgumentsOf(string folder, params string[] more)
    {
        string[] generate = more.Contains("--generate") ? [] : ["--generate", "clusters"];
        string[] points = more.Contains("-n") ? [] : ["-n", "600"];

        // Vamana builds only the plain layout.
        string[] layout = more.Contains("--layout") || more.Contains("--kind") ? [] : ["--layout", "plain"];
        string[] code = more.Contains("--code") || more.Contains("--kind") ? [] : ["--code", "pq"];
        return
        [
            "build", "--data-path", folder, "--device", "memory", "--quiet", .. generate, .. points, .. layout, .. code, "--dim", "16",
            "--queries", "20",
            "--degree", "16", "--build-list-size", "32", .. more,
        ];
    }
}

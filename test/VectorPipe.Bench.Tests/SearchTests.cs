using System.Numerics;
using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Searches;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Searches;
using VectorPipe.Model;
using VectorPipe.Model.Open;

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
    public async Task Thresholds_of_a_policy_are_measured_one_after_another()
    {
        JsonObject report = await ReportAsync(
            "--device", "memory", "--mode", "beam", "--policy", "ratio", "--threshold", "1,0.5", "--follow-factor", "1.3");
        JsonArray rows = report["results"]!.AsArray();
        Assert.That(
            rows.Select(row => ((string)row!["policy"]!, (double)row["threshold"]!, (int?)row["list_size"])),
            Is.EqualTo(new (string, double, int?)[] { ("ratio", 1, null), ("ratio", 0.5, null) }));
        Assert.That((double)report["configuration"]!["follow_factor"]!, Is.EqualTo(1.3));
    }

    [TestCase("fixed", 4)]
    [TestCase("adaptive", 16)]
    [TestCase("position", 16)]
    [TestCase("remaining", 16)]
    public async Task The_requested_width_is_used(string width, int mostReads)
    {
        JsonObject report =
            await ReportAsync("--device", "memory", "--mode", "beam", "--policy", "ratio", "--threshold", "0.8", "--width", width);
        JsonObject row = report["results"]![0]!.AsObject();
        using (Assert.EnterMultipleScope())
        {
            Assert.That((string)row["width"]!, Is.EqualTo(width));
            Assert.That((string)report["configuration"]!["width"]!, Is.EqualTo(width));
            Assert.That((int)row["beam_width"]!, Is.EqualTo(mostReads), "a width that grows may grow");
        }
    }

    [Test]
    public async Task A_growing_width_takes_more_rounds_than_a_fixed_one()
    {
        string[] options = ["--device", "memory", "--mode", "beam", "-l", "40", "-w", "16"];
        double wide = (double)(await ReportAsync(options))["results"]![0]!["rounds_per_query"]!;
        double growing = (double)(await ReportAsync([.. options, "--width", "adaptive"]))["results"]![0]!["rounds_per_query"]!;
        Assert.That(growing, Is.GreaterThan(wide));
    }

    [Test]
    public async Task A_width_that_does_not_exist_is_refused()
    {
        BenchProcess run = await BenchProcess.RunAsync(
            "search", "--dataset", SharedData.DataSet, "--index", SharedData.SearchIndex, "--width", "wide");
        run.AssertFailed(ExitCodes.BadInput, "--width: expected one of fixed, adaptive, position, remaining; found 'wide'");
    }

    [Test]
    public async Task A_built_index_has_the_requested_layout_and_codes()
    {
        using var folder = new TempFolder();
        await BenchProcess.ReportAsync(
            "search", "--dataset", SharedData.DataSet, "--index", folder["index"], "--device", "memory", "-k", "1", "-l", "10",
            "--quiet", "--layout", "plain", "--code", "opq", "--code-bytes", "8");
        IndexInfo index = VectorIndex.Inspect(folder["index"]);
        Assert.That((index.Layout, index.Code, index.CodeBytes), Is.EqualTo((IndexLayout.Plain, CodeKind.Opq, 8)));
    }

    [Test]
    public async Task Bytes_are_those_of_the_reads()
    {
        JsonNode row = (await ReportAsync("--device", "memory", "-l", "20", "--mode", "pipe"))["results"]![0]!;
        Assert.That((double)row["read_bytes_per_query"]!, Is.EqualTo((double)row["reads_per_query"]! * 4096).Within(0.5));
    }

    [Test]
    [Category("Heavy")]
    public async Task The_queue_depth_counts_the_reads_in_flight()
    {
        // Reads of 2 ms: a single query nearly always has between one read and its beam in flight.
        JsonNode row = (
            await ReportAsync(
                "--device", "memory-ring", "--latency-us", "5000", "-l", "10", "--queries-in-flight", "1", "--mode",
                "pipe"))["results"]![0]!;
        Assert.That((double)row["mean_queue_depth"]!, Is.InRange(0.5, 4));
    }

    [Test]
    public async Task A_device_with_a_rate_does_not_exceed_it()
    {
        JsonNode row = (await ReportAsync(
            "--device", "memory", "--device-iops", "4000", "--threads", "2", "-l", "10", "--mode", "pipe", "--runsec",
            "0.2"))["results"]![0]!;
        Assert.That((double)row["reads_per_second"]!, Is.LessThanOrEqualTo(4000 * 1.1));
        Assert.That((double)row["device_share"]!, Is.EqualTo((double)row["reads_per_second"]! / 4000).Within(1e-9));
    }

    [Test]
    public async Task Passes_repeat_for_the_requested_time()
    {
        JsonNode row = (await ReportAsync("--device", "memory", "-l", "10", "--mode", "pipe", "--runsec", "0.2"))["results"]![0]!;
        Assert.That((int)row["queries"]!, Is.GreaterThanOrEqualTo(2 * SharedData.Queries));
    }

    [Test]
    public async Task A_paced_pass_counts_latency_from_the_due_time()
    {
        // All queries are due within 40 us and each takes reads of 5 ms, one query at a time: nearly all wait much longer than they take.
        JsonNode row = (await ReportAsync(
            "--device", "memory", "--latency-us", "2000", "-l", "10", "--queries-in-flight", "1", "--mode", "pipe", "--rate",
            "1000000"))["results"]![0]!;
        Assert.That((double)row["p99_us"]!, Is.GreaterThan(10 * 5000));
    }

    [TestCase("--cold")]
    [TestCase("--warm")]
    public async Task The_page_cache_can_be_prepared(string option)
    {
        if (!OperatingSystem.IsLinux() && option == "--cold")
            Assert.Ignore("Only Linux drops files from its page cache on request.");
        JsonObject report = await ReportAsync(option, "--device", "portable", "-l", "10", "--mode", "pipe");
        Assert.That(report["results"]!.AsArray(), Has.Count.EqualTo(1));
    }

    [TestCase(1, "memory")]
    [TestCase(3, "memory-ring")]
    [TestCase(1, "memory-ring", Category = "Heavy")]
    [TestCase(3, "memory", Category = "Heavy")]
    [TestCase(64, "memory", Category = "Heavy")]
    [TestCase(64, "memory-ring", Category = "Heavy")]
    public async Task Every_answer_is_validated_in_both_modes_with_few_reads_in_flight(int limit, string device)
    {
        JsonObject report = await ReportAsync(
            "--device", device, "--mode", "beam,pipe", "-l", "10", "-w", "8", "--run-threads-sweep", "1,2", "--device-throttle-limit",
            $"{limit}", "--runsec", "0.05");
        // A ring holds a power of two.
        uint most = BitOperations.RoundUpToPowerOf2((uint)limit);
        foreach (JsonNode? row in report["results"]!.AsArray())
            Assert.That((double)row!["mean_queue_depth"]!, Is.LessThanOrEqualTo(most * (int)row["threads"]!));
        Assert.That((bool)report["configuration"]!["validate"]!, Is.True);
    }

    [TestCase("beam")]
    [TestCase("pipe")]
    public async Task A_wrong_answer_ends_the_run(string mode)
    {
        using MeasuredIndex index = await OpenAsync();
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", $"{SharedData.DataSet}.query.u8bin", CancellationToken.None);
        var options = new SearchOptions { Graph = new GraphSearch { ListSize = 20 }, Mode = Choices.Mode(mode) };
        var check = new AnswerCheck<byte>(index, queries, 5);
        check.Prepare(options, CancellationToken.None);
        SearchMeasurement pass = new SearchRun<byte>(index.OpenSession, queries, 5, 1).Measure(options, CancellationToken.None);
        check.Check(options, pass, CancellationToken.None);

        AssertWrong(hits => hits[7] = hits[7] with { Score = MathF.BitIncrement(hits[7].Score) });
        AssertWrong(hits => hits[7] = hits[6]);
        AssertWrong(hits => (hits[6], hits[7]) = (hits[7], hits[6]));
        AssertWrong(hits => hits[7] = hits[7] with { Key = ulong.MaxValue });

        void AssertWrong(Action<SearchHit[]> change)
        {
            var hits = (SearchHit[])pass.Hits.Clone();
            change(hits);
            Assert.That(
                () => check.Check(options, pass with { Hits = hits }, CancellationToken.None),
                Throws.TypeOf<IndexCorruptException>().With.Message.Contains("query 1"));
        }
    }

    private static async Task<MeasuredIndex> OpenAsync()
    {
        await ReportAsync("--device", "memory", "-l", "10");
        return MeasuredIndex.Open(
            SharedData.SearchIndex, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } }, CancellationToken.None);
    }

    private static Task<JsonObject> ReportAsync(params string[] more) =>
        BenchProcess.ReportAsync(
            ["search", "--dataset", SharedData.DataSet, "--index", SharedData.SearchIndex, "-k", "1", "--quiet", .. more]);
}

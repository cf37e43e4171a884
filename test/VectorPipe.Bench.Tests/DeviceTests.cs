using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Reads;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class DeviceTests
{
    [TestCase("auto")]
    [TestCase("portable")]
    [TestCase("memory")]
    [TestCase("memory-ring")]
    public async Task Every_device_reads_validated_pages(string device)
    {
        JsonObject row = await ResultAsync("--device", device);
        Assert.That((double)row["iops"]!, Is.GreaterThan(0));
        Assert.That((double)row["mean_us"]!, Is.GreaterThan(0));
    }

    [TestCase("memory", true, Category = "Heavy")]
    [TestCase("memory-ring", true, Category = "Heavy")]
    [TestCase("portable", false)]
    public async Task Costs_are_separated_on_memory_devices(string device, bool isKnown)
    {
        // Longer than others: on a busy machine a thread may not run at all for a twentieth of a second.
        JsonObject report = await BenchProcess.ReportAsync(
            "device", "--data-path", SharedData.Pages, "--data-mb", "1", "--quiet", "--runsec", "0.3", "--warmup-sec", "0",
            "--device", device);
        JsonObject row = report["results"]![0]!.AsObject();
        Assert.That(row["pipeline_ns_per_read"] is not null, Is.EqualTo(isKnown && OperatingSystem.IsLinux()));
        Assert.That(row["verify_ns_per_read"] is not null, Is.EqualTo(isKnown && OperatingSystem.IsLinux()));
    }

    [Test]
    public async Task Without_validation_its_cost_is_unknown()
    {
        JsonObject row = await ResultAsync("--device", "memory", "--validate", "off");
        Assert.That(row["verify_ns_per_read"], Is.Null);
    }

    [Test]
    public async Task Inline_completion_selects_the_memory_device_without_rings()
    {
        JsonObject report = await ReportAsync("--device", "memory-ring", "--device-inline-completion");
        Assert.That((string)report["configuration"]!["device"]!, Is.EqualTo("memory"));
    }

    [Test]
    public async Task Every_depth_and_number_of_threads_has_its_result()
    {
        JsonObject report =
            await ReportAsync("--device", "memory", "--validate", "off", "--device-throttle-limit", "2,8", "--run-threads-sweep", "1,2");
        Assert.That(
            report["results"]!.AsArray().Select(row => ((int)row!["threads"]!, (int)row["depth"]!)),
            Is.EqualTo(new[] { (1, 2), (1, 8), (2, 2), (2, 8) }));
    }

    [Test]
    public async Task The_device_queue_bounds_the_depth()
    {
        JsonObject row = await ResultAsync("--device", "portable", "--device-throttle-limit", "64", "--device-queue-depth", "4");
        Assert.That((int)row["depth"]!, Is.EqualTo(4));
        Assert.That((double)row["mean_queue_depth"]!, Is.GreaterThan(0).And.AtMost(4.0001));
    }

    [Test]
    public async Task A_latency_given_to_the_device_shows()
    {
        JsonObject row = await ResultAsync("--device", "memory", "--validate", "off", "--latency-us", "3000");
        Assert.That((double)row["p50_us"]!, Is.GreaterThanOrEqualTo(3000));
    }

    [Test]
    public async Task A_paced_run_counts_latency_from_the_due_time()
    {
        // One read at a time, 20 ms each, due every millisecond: nearly all wait much longer than they take.
        JsonObject report = await BenchProcess.ReportAsync(
            "device", "--data-path", SharedData.Pages, "--data-mb", "1", "--quiet", "--runsec", "0.3", "--warmup-sec", "0",
            "--device", "memory", "--device-throttle-limit", "1", "--latency-us", "20000", "--rate", "1000");
        Assert.That((double)report["results"]![0]!["mean_us"]!, Is.GreaterThan(30_000));
    }

    [Test]
    public async Task All_iterations_are_reported_and_the_median_is_the_result()
    {
        JsonObject report = await ReportAsync("--device", "memory", "--validate", "off", "--iterations", "3");
        double[] all = [.. report["iterations"]!.AsArray().Select(row => (double)row!["iops"]!)];
        Assert.That(all, Has.Length.EqualTo(3));
        Assert.That((double)report["results"]![0]!["iops"]!, Is.EqualTo(all.Order().ElementAt(1)));
    }

    [Test]
    public async Task A_damaged_page_ends_the_run()
    {
        using var folder = new TempFolder();
        PageFile file = PageFile.OpenOrCreate(folder["data"], 4096, 256, progress: null, CancellationToken.None);
        await using (FileStream stream = File.OpenWrite(file.FilePath))
        {
            for (int page = 1; page < file.PageCount; page++)
            {
                stream.Position = ((long)page * file.PageSize) + 1000;
                stream.Write([1, 2, 3, 4, 5, 6, 7, 8]);
            }
        }

        BenchProcess run = await BenchProcess.RunAsync(
            ["device", "--data-path", folder["data"], "--data-mb", "1", "--device", "memory", .. BenchProcess.Short]);
        run.AssertFailed(ExitCodes.FailedVerification, "checksum");
    }

    [Test]
    public void An_unfinished_file_is_written_again()
    {
        using var folder = new TempFolder();
        PageFile first = PageFile.OpenOrCreate(folder["data"], 4096, 16, progress: null, CancellationToken.None);
        byte[] finished = File.ReadAllBytes(first.FilePath);
        using (FileStream stream = File.OpenWrite(first.FilePath))
            stream.Write(new byte[4096]);
        PageFile second = PageFile.OpenOrCreate(folder["data"], 4096, 16, progress: null, CancellationToken.None);
        Assert.That(second, Is.EqualTo(first));
        Assert.That(File.ReadAllBytes(second.FilePath).SequenceEqual(finished), "the file is whole");
    }

    private static async Task<JsonObject> ResultAsync(params string[] more) => (await ReportAsync(more))["results"]![0]!.AsObject();

    private static Task<JsonObject> ReportAsync(params string[] more) =>
        BenchProcess.ReportAsync(["device", "--data-path", SharedData.Pages, "--data-mb", "1", .. BenchProcess.Short, .. more]);
}

using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class ErrorTests
{
    [Test]
    public async Task No_verb_is_bad_usage() => (await BenchProcess.RunAsync()).AssertFailed(ExitCodes.BadInput, "verb");

    [TestCase("device", "--wings", "", "wings")]
    [TestCase("device", "--threads", "0", "1 to 1024")]
    [TestCase("device", "--run-threads-sweep", "1,0", "--run-threads-sweep")]
    [TestCase("device", "--device", "tape", "memory-ring")]
    [TestCase("device", "--device-throttle-limit", "0", "1 to 32768")]
    [TestCase("device", "--device-throttle-limit", "8,x", "device-throttle-limit")]
    [TestCase("device", "--read-bytes", "1000", "multiple of 4096")]
    [TestCase("device", "--data-mb", "0", "--data-mb")]
    [TestCase("device", "--validate", "maybe", "on or off")]
    [TestCase("device", "--rate", "0", "--rate")]
    [TestCase("device", "--runsec", "0", "--runsec")]
    [TestCase("device", "--iterations", "0", "--iterations")]
    [TestCase("device", "--device-queue-depth", "0", "--device-queue-depth")]
    [TestCase("device", "--device-registered-buffers", "2", "on or off")]
    [TestCase("device", "--device-iops", "1000", "the memory device")]
    [TestCase("get", "--distribution", "normal", "uniform or zipf")]
    [TestCase("get", "--zipf-theta", "0", "--zipf-theta")]
    [TestCase("get", "--peer", "rocks", "none or faster")]
    [TestCase("get", "--keys", "0", "--keys")]
    [TestCase("get", "--batch-size", "0", "--batch-size")]
    [TestCase("search", "--mode", "pipe,swim", "pipe, beam")]
    [TestCase("search", "--list-size", "5", "k (10)")]
    [TestCase("search", "--device-throttle-limit", "0", "1 to 4096")]
    [TestCase("search", "--validate", "maybe", "on or off")]
    [TestCase("search", "--metric", "l3", "l2, ip, cosine")]
    public async Task A_bad_option_is_named_with_the_expected_values(string verb, string option, string value, string expected)
    {
        string[] query = verb == "search" ? ["--query", "none.fbin"] : [];
        (await BenchProcess.RunAsync([verb, .. query, option, value])).AssertFailed(ExitCodes.BadInput, expected);
    }

    [TestCase("--device-uring-sqpoll", "memory")]
    [TestCase("--device-inline-completion", "portable")]
    public async Task An_option_that_the_device_does_not_have_is_refused(string option, string device) =>
        (await BenchProcess.RunAsync("device", option, "--device", device)).AssertFailed(ExitCodes.BadInput, option);

    [Test]
    public async Task A_search_without_queries_is_bad_usage() =>
        (await BenchProcess.RunAsync("search")).AssertFailed(ExitCodes.BadInput, "--query");

    [Test]
    public async Task A_missing_file_of_queries_cannot_be_read()
    {
        using var folder = new TempFolder();
        (await BenchProcess.RunAsync("search", "--query", folder["none.fbin"])).AssertFailed(ExitCodes.CannotReadOrWrite, "none.fbin");
    }

    [Test]
    public async Task A_report_into_a_missing_folder_is_refused_at_once()
    {
        using var folder = new TempFolder();
        (await BenchProcess.RunAsync("device", "--chart", folder["missing/x.svg"])).AssertFailed(ExitCodes.CannotReadOrWrite, "missing");
    }

    [Test]
    public async Task A_cancelled_run_reports_it()
    {
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        using var folder = new TempFolder();
        (await BenchProcess.RunAsync(cancelled.Token, "device", "--data-path", folder["data"], "--data-mb", "1", "--device", "memory"))
            .AssertFailed(ExitCodes.Cancelled, "cancelled");
    }

    [TestCase("--help")]
    [TestCase("device", "--help")]
    public async Task Help_documents_the_exit_codes(params string[] args)
    {
        BenchProcess run = await BenchProcess.RunAsync(args);
        Assert.That(run.ExitCode, Is.Zero);
        Assert.That(run.Output, Does.Contain("Exit codes:").And.Contain("130  cancelled"));
    }
}

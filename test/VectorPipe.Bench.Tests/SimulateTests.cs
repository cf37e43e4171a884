using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class SimulateTests
{
    [Test]
    public async Task Each_size_and_rate_is_a_run_with_hedging_and_one_without()
    {
        JsonObject report = await BenchProcess.ReportAsync(
            [.. Arguments, "--nodes", "3,5", "--replicas", "1,2", "--rate", "20,40", "--hedging", "on,off", "--failures", "kill:2:1.5"]);
        JsonArray rows = report["results"]!.AsArray();

        Assert.That(
            rows.Select(row => ((int)row!["nodes"]!, (int)row["replicas"]!, (double)row["rate_of_node"]!, (string)row["hedging"]!)),
            Is.EqualTo(
                from nodes in (int[])[3, 5]
                from replicas in (int[])[1, 2]
                from rate in (double[])[20, 40]
                from hedging in (string[])["on", "off"]
                select (nodes, replicas, rate, hedging)));
        Assert.That(rows.Select(row => (double)row!["answered_per_second"]!), Is.All.Positive);
        Assert.That((int)report["configuration"]!["seed"]!, Is.EqualTo(5));
        Assert.That((string?)report["configuration"]!["service_us"], Is.EqualTo("0:400,100:900"));
    }

    [Test]
    public async Task A_table_shows_what_was_simulated()
    {
        BenchProcess run = await BenchProcess.RunAsync([.. Arguments, "--rate", "20"]);

        Assert.That(run.ExitCode, Is.Zero, run.Error);
        Assert.That(run.Output, Does.Contain("answered/s").And.Contain("busiest"));
    }

    [TestCase("--nodes", "1001", "1 to 1000")]
    [TestCase("--rate", "0", "more than 0")]
    [TestCase("--hedging", "maybe", "on or off")]
    [TestCase("--failures", "kill:3:1", "0 to 2")]
    [TestCase("--failures", "kill:1", "stop:NODE:S:S")]
    [TestCase("--failures", "stop:1:3:2", "stop:NODE:S:S")]
    [TestCase("--cpu-us", "10000", "the mean of --service-us")]
    [TestCase("--busy-share", "0", "more than 0, at most 1")]
    [TestCase("--service-us", "0:1", "rising percentiles")]
    [TestCase("--replicas", "0", "1 to 16")]
    public async Task A_bad_option_is_refused(string option, string value, string expected)
    {
        string[] others = option == "--rate" ? Arguments : [.. Arguments, "--rate", "20"];
        if (option == "--service-us")
            others = ["simulate", "--rate", "20"];
        (await BenchProcess.RunAsync([.. others, option, value])).AssertFailed(ExitCodes.BadInput, expected);
    }

    private static string[] Arguments => ["simulate", "--service-us", "0:400,100:900", "--seconds", "1", "--seed", "5"];
}

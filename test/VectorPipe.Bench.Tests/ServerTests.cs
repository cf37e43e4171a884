using System.Globalization;
using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Bench.Tests;

public sealed class ServerTests
{
    // Seconds in which a search ends, also where all processors are busy.
    private const string Long = "2";

    private readonly TempFolder _folder = new();
    private ServerProcess? _server;

    [OneTimeTearDown]
    public void StopServer()
    {
        _server?.Dispose();
        _folder.Dispose();
    }

    [Test]
    [Category("Heavy")]
    public async Task A_set_is_filled_and_searched_over_several_connections()
    {
        string[] arguments = Arguments((await ServerAsync()).Port, Long);
        JsonObject report = await BenchProcess.ReportAsync([.. arguments, "-t", "1,2", "--pipeline", "8", "--silent", "3"]);
        JsonArray rows = report["results"]!.AsArray();
        Assert.That(rows.Select(row => (int)row!["connections"]!), Is.EqualTo(new[] { 1, 2 }));
        foreach (JsonNode? row in rows)
        {
            Assert.That((long)row!["ops"]!, Is.GreaterThan(0));
            Assert.That((double)row["p50_us"]!, Is.GreaterThan(0));
            Assert.That((double)row["recall"]!, Is.EqualTo(1));
            Assert.That((long)row["refused"]!, Is.Zero);
            Assert.That((double)row["server_cpu_us"]!, Is.GreaterThan(0));

            // A server that is warm allocates nothing for a search.
            Assert.That((double)row["server_allocated_bytes"]!, Is.Not.Negative);
        }

        // The set is there now; another number of vectors is another set.
        await BenchProcess.ReportAsync(arguments);
        (await BenchProcess.RunAsync([.. arguments, "-n", "20"])).AssertFailed(ExitCodes.BadInput, "none, or one of 20");
    }

    [Test]
    [Category("Heavy")]
    public async Task Searches_that_are_refused_are_counted_apart()
    {
        using ServerProcess server = await ServerProcess.StartAsync(_folder["busy"], "--max-queued-queries", "1");
        JsonObject report = await BenchProcess.ReportAsync([.. Arguments(server.Port, Long), "-t", "4"]);
        JsonNode row = report["results"]![0]!;
        Assert.That((long)row["refused"]!, Is.GreaterThan(0));
        Assert.That((double)row["refused_p99_us"]!, Is.GreaterThan(0));
        Assert.That((long)row["ops"]!, Is.GreaterThan(0));
    }

    [TestCase("--port", "0", "1 to 65535")]
    [TestCase("-n", "0", "1 or more")]
    [TestCase("-k", "1001", "1 to 1000")]
    [TestCase("--pipeline", "65", "1 to 64")]
    [TestCase("--silent", "-1", "0 to 10000")]
    [TestCase("--options", "WHAT", "syntax error")]
    [TestCase("--chart", "chart.svg", "no chart")]
    public async Task A_bad_option_is_refused(string option, string value, string expected)
    {
        if (option != "--options")
        {
            string[] arguments = Arguments(1);
            int at = Array.IndexOf(arguments, option);
            if (at >= 0)
                arguments[at + 1] = value;
            else
                arguments = [.. arguments, option, value];
            (await BenchProcess.RunAsync(arguments)).AssertFailed(ExitCodes.BadInput, expected);
            return;
        }

        (await BenchProcess.RunAsync([.. Arguments((await ServerAsync()).Port), "--set", "options", option, value]))
            .AssertFailed(ExitCodes.CannotReadOrWrite, expected);
    }

    [Test]
    public async Task A_server_that_is_not_there_is_an_error() =>
        (await BenchProcess.RunAsync(Arguments(1))).AssertFailed(ExitCodes.CannotReadOrWrite, "refused");

    // Shared by tests that use sets of their own.
    private async Task<ServerProcess> ServerAsync() => _server ??= await ServerProcess.StartAsync(_folder["sets"]);

    private static string[] Arguments(int port, string seconds = "0.5") =>
    [
        "server", "--port", port.ToString(CultureInfo.InvariantCulture), "--base", SharedData.DataSet + ".base.u8bin",
        "--query", SharedData.DataSet + ".query.u8bin", "--truth", SharedData.DataSet + ".truth.bin", "-k", "1", "--metric", "l2",
        "--runsec", seconds, "--warmup-sec", "0.2", "--quiet",
    ];
}

using System.Globalization;
using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Servers;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Server.Tests.Clustering.Postgres;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Bench.Tests.Nodes;

/// <summary>Nodes whose devices have a given rate, in processes of their own, and a database.</summary>
public sealed class NodeTests
{
    private const int DeviceIops = 2000;

    [OneTimeTearDown]
    public Task DeleteTemplateAsync() => PostgresServer.DeleteTemplateAsync();

    [TestCase(2, Category = "Heavy")]
    [TestCase(3, Category = "Heavy")]
    public async Task Searches_read_from_as_many_devices_as_a_set_has_replicas(int count)
    {
        await using PostgresServer database = await PostgresServer.StartAsync();
        string connection = await database.CreateDatabaseAsync();
        using var folder = new TempFolder();
        var nodes = new List<ServerProcess>();
        try
        {
            for (int node = 0; node < count; node++)
                nodes.Add(await StartAsync(folder[$"{node}"], connection, replicas: node + 1));
            foreach (ServerProcess node in nodes)
                await UntilAllAreAliveAsync(node, count);
            for (int node = 0; node < count; node++)
            {
                // A replica that is still behind is not read: its node passes searches on, until it has all.
                ServerProcess[] asked = [nodes[node], .. nodes.Where((_, other) => other != node)];
                int expected = node + 1;
                Assert.That(await Polling.UntilAsync(() => CountDevicesAsync(asked), found => found == expected), Is.EqualTo(expected));
            }
        }
        finally
        {
            foreach (ServerProcess node in nodes)
                node.Dispose();
        }
    }

    [TestCase("--device-iops", "0", "1 to 10000000")]
    [TestCase("--replicas", "17", "1 to 16")]
    [TestCase("--threads", "0", "1 to 1024")]
    public async Task A_bad_option_is_refused(string option, string value, string expected)
    {
        string[] arguments = ["node", "--port", "0", "--dir", "none"];
        if (option != "--device-iops")
            arguments = [.. arguments, "--device-iops", "1"];
        (await BenchProcess.RunAsync([.. arguments, option, value])).AssertFailed(ExitCodes.BadInput, expected);
    }

    // Each connection has a node of its own; the set is made through the first one.
    private static async Task<int> CountDevicesAsync(ServerProcess[] nodes)
    {
        string ports = string.Join(',', nodes.Select(node => node.Port.ToString(CultureInfo.InvariantCulture)));
        JsonObject report = await BenchProcess.ReportAsync(
            "server", "--port", ports, "--base", SharedData.DataSet + ".base.u8bin", "--query", SharedData.DataSet + ".query.u8bin",
            "--truth", SharedData.DataSet + ".truth.bin", "-k", "1", "--set", $"set of {nodes[0].Port}", "-t", $"{nodes.Length}",
            "--pipeline", "4", "--runsec", "1", "--warmup-sec", "0.2", "--quiet");
        JsonNode row = report["results"]![0]!;
        Assert.That((double)row["recall"]!, Is.EqualTo(1));
        Assert.That((double)row["reads"]!, Is.Positive);
        return ((string)row["reads_per_second"]!).Split(' ').Count(reads => reads != "0");
    }

    private static Task<ServerProcess> StartAsync(string directory, string connection, int replicas) => ServerProcess.StartProgramAsync(
        "VectorPipe.Bench.dll", null,
        [
            "node", "--port", "0", "--dir", directory, "--cluster", connection, "--node-name", Path.GetFileName(directory),
            "--replicas", $"{replicas}", "--device-iops", $"{DeviceIops}",
        ]);

    private static async Task UntilAllAreAliveAsync(ServerProcess node, int count)
    {
        using var client = new ServerConnection(node.Port);
        string found = await Polling.UntilAsync(
            () => Task.FromResult(client.Call("XNODES")), reply => reply.Split("alive\r\n:1\r\n").Length == count + 1);
        Assert.That(found.Split("alive\r\n:1\r\n"), Has.Length.EqualTo(count + 1), "all nodes are alive");
    }
}

using System.Collections.Concurrent;
using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Three nodes in processes of their own, of which one after another is killed or stopped, and the database, too.</summary>
/// <param name="rounds">Failures of a test.</param>
[TestFixture(1)]
[TestFixture(1000, Category = "Heavy")]
internal sealed class ClusterKillTests(int rounds)
{
    private const int Nodes = ClusterProcesses.Count;
    private const int Writers = 6;
    private const int KeysOfWriter = 4;

    // For each key: the last value that was acknowledged, and a later one that may have been written.
    private readonly ConcurrentDictionary<string, (int Acknowledged, int Tried)> _keys = new();
    private PostgresServer _database = null!;
    private ClusterProcesses _nodes = null!;
    private long _reads;
    private long _acknowledged;

    [SetUp]
    public async Task StartAsync()
    {
        _database = await PostgresServer.StartAsync();
        string connection = await _database.CreateDatabaseAsync();
        _nodes = new ClusterProcesses(_ => ["--cluster", connection, "--replace-after", "1"]);
        await _nodes.StartAsync();
    }

    [TearDown]
    public async Task StopAsync()
    {
        if (_nodes is not null)
            await _nodes.DisposeAsync();
        await _database.DisposeAsync();
    }

    [Test]
    public async Task Nothing_that_was_acknowledged_is_lost_and_no_read_of_another_node_fails()
    {
        for (int round = 0; round < rounds; round++)
        {
            int victim = round % Nodes;
            bool isDatabase = round % 4 == 2;
            bool isStopped = round % 4 == 1;
            using var stop = new CancellationTokenSource();
            Task[] work =
            [
                .. Enumerable.Range(0, Writers).Select(writer => Task.Run(() => WriteAsync(writer, victim, isDatabase, stop.Token))),
                .. Enumerable.Range(0, Nodes).Where(node => node != victim || isDatabase)
                    .Select(node => Task.Run(() => ReadAsync(node, stop.Token))),
            ];
            await ProgressAsync(50, work);
            if (isDatabase)
                await _database.CrashAsync();
            else if (isStopped)
                await _nodes[victim].SignalAsync("STOP");
            else
                await _nodes[victim].KillAsync();

            // The others go on meanwhile; without the database, they read. Now and then others take the place of the victim.
            await (isDatabase ? ReadsAsync(200, work) : ProgressAsync(50, work));
            if (round % 8 == 7)
                await UntilReplacedAsync(victim, work);
            if (isDatabase)
            {
                await _database.StartAgainAsync();
            }
            else if (isStopped)
            {
                await _nodes[victim].SignalAsync("CONT");
            }
            else
            {
                _nodes[victim].Dispose();
                await _nodes.StartNodeAsync(victim);
            }

            await ProgressAsync(50, work);
            await stop.CancelAsync();
            await Task.WhenAll(work);
            string failure = isDatabase ? "database" : isStopped ? $"node {victim} stopped" : $"node {victim} killed";
            await CheckAsync($"round {round}: {failure}");
            HangBound.Current?.Restart();
        }

        TestContext.Out.WriteLine($"{rounds} failures, {_acknowledged} writes acknowledged, {_reads} reads");
    }

    private async Task UntilReplacedAsync(int victim, Task[] work)
    {
        using RespClient client = await RespClient.ConnectAsync(_nodes[(victim + 1) % Nodes].Port);
        await Polling.UntilAsync(
            async () =>
            {
                if (Array.Find(work, task => task.IsFaulted) is { } failed)
                    await failed;
                string nodes = await client.CallAsync("XNODES");
                return nodes.Split($"\r\nn{victim}\r\n")[1].Split("name")[0].Contains("shards\r\n:0\r\n", StringComparison.Ordinal);
            },
            $"others take the place of node {victim}");
    }

    // One operation after another, each on a node that should answer; where it does not, the outcome may be either.
    private async Task WriteAsync(int writer, int victim, bool isDatabase, CancellationToken stop)
    {
        var random = new Random((100 * writer) + victim);
        int[] nodes = [.. Enumerable.Range(0, Nodes).Where(node => isDatabase || node != victim)];
        using RespClient client = await RespClient.ConnectAsync(_nodes[nodes[writer % nodes.Length]].Port);
        using var pause = new PeriodicTimer(Polling.Pause);
        while (!stop.IsCancellationRequested)
        {
            await pause.WaitForNextTickAsync(CancellationToken.None);
            string key = $"{writer}/{random.Next(KeysOfWriter)}";
            int value = _keys.GetValueOrDefault(key).Tried + 1;
            _keys[key] = (_keys.GetValueOrDefault(key).Acknowledged, value);
            string reply = await client.CallAsync(
                "VADD", ClusterWork.SetOf(writer), "VALUES", "2", "1", "1", key, "SETATTR", value.ToString(CultureInfo.InvariantCulture));
            if (reply[0] == ':')
            {
                _keys[key] = (value, value);
                Interlocked.Increment(ref _acknowledged);
            }
            else
            {
                Assert.That(reply, Does.StartWith("-TRYAGAIN").Or.StartWith("-UNKNOWN").Or.StartWith("-NOREPLICA"));
            }
        }
    }

    private async Task ReadAsync(int node, CancellationToken stop)
    {
        using RespClient client = await RespClient.ConnectAsync(_nodes[node].Port);
        using var pause = new PeriodicTimer(Polling.Pause);
        for (int i = 0; !stop.IsCancellationRequested; i++)
        {
            await pause.WaitForNextTickAsync(CancellationToken.None);
            string reply = await client.CallAsync("VSIM", $"s{i % ClusterWork.Sets}", "ELE", "first", "COUNT", "1");
            if (!reply.StartsWith("*1\r\n$", StringComparison.Ordinal))
                Assert.Fail($"a read of node {node}, which runs, after {_reads} reads: {reply}{await client.CallAsync("XNODES")}");
            Interlocked.Increment(ref _reads);
        }
    }

    private async Task CheckAsync(string context)
    {
        for (int node = 0; node < Nodes; node++)
        {
            foreach ((string key, (int acknowledged, int tried)) in _keys)
            {
                string set = ClusterWork.SetOf(int.Parse(key.AsSpan(0, key.IndexOf('/')), CultureInfo.InvariantCulture));
                int found = -1;
                string text = await _nodes.UntilAsync(
                    node,
                    reply => reply[0] == '$' && (found = ClusterWork.ValueOf(reply)) >= acknowledged,
                    "VGETATTR", set, key);
                Assert.That(found, Is.InRange(acknowledged, tried), $"{key} at node {node}: {text}; {context}");
            }
        }

        // Not only what clients see: all of each replica.
        await _nodes.CheckReplicasAsync();
    }

    private Task ProgressAsync(int writes, Task[] work) => PassAsync(() => Volatile.Read(ref _acknowledged), writes, work);

    private Task ReadsAsync(int reads, Task[] work) => PassAsync(() => Volatile.Read(ref _reads), reads, work);

    private static async Task PassAsync(Func<long> count, int more, Task[] work)
    {
        long target = count() + more;
        await Polling.UntilAsync(
            async () =>
            {
                if (Array.Find(work, task => task.IsFaulted) is { } failed)
                    await failed;
                return count() >= target;
            },
            "the others go on");
    }
}

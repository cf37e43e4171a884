using NUnit.Framework;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Three nodes in processes of their own, with sets of one, two and three shards.</summary>
/// <param name="optionsOf">The options of each node, besides its folder, its name and its shards.</param>
internal sealed class ClusterProcesses(Func<int, string[]> optionsOf) : IAsyncDisposable
{
    public const int Count = 3;

    private readonly ServerProcess?[] _nodes = new ServerProcess?[Count];
    private readonly string[] _folders = new string[Count];

    /// <summary>The processes, by number of node.</summary>
    public ServerProcess this[int node] => _nodes[node]!;

    /// <summary>Starts all, and waits until each reads all sets.</summary>
    /// <param name="started">Hears of each node as soon as it runs.</param>
    public async Task StartAsync(Action<int, ServerProcess>? started = null)
    {
        for (int node = 0; node < Count; node++)
        {
            _folders[node] = Directory.CreateTempSubdirectory("vectorpipe-server-").FullName;
            await StartNodeAsync(node);
            started?.Invoke(node, this[node]);
        }

        // Each shard has two nodes when all are known.
        for (int node = 0; node < Count; node++)
            await UntilAsync(node, reply => reply.Split("alive\r\n:1\r\n").Length == Count + 1, "XNODES");
        for (int set = 0; set < ClusterWork.Sets; set++)
            await UntilAsync(set % Count, reply => reply is ":1\r\n" or ":0\r\n", "VADD", $"s{set}", "VALUES", "2", "1", "1", "first");
        for (int node = 0; node < Count; node++)
        {
            for (int set = 0; set < ClusterWork.Sets; set++)
                await UntilAsync(node, reply => reply == ":1\r\n", "VISMEMBER", $"s{set}", "first");
        }
    }

    /// <summary>Starts a node with its folder.</summary>
    public async Task StartNodeAsync(int node) => _nodes[node] = await ServerProcess.StartAsync(
        _folders[node], ["--node-name", $"n{node}", "--shards", $"{node + 1}", .. optionsOf(node)]);

    /// <summary>Asks a node to end, and waits for it.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> DrainNodeAsync(int node)
    {
        await this[node].SignalAsync("TERM");
        int code = await this[node].WaitAsync();
        this[node].Dispose();
        return code;
    }

    /// <summary>Waits until all nodes are alive for all, and answer for all of their replicas.</summary>
    public async Task UntilCaughtUpAsync()
    {
        for (int node = 0; node < Count; node++)
        {
            await UntilAsync(
                node,
                reply => reply.Split("alive\r\n:1\r\n").Length == Count + 1 && reply.Split("behind\r\n:0\r\n").Length == Count + 1,
                "XNODES");
        }
    }

    /// <summary>Waits until XCHECK has heard of all replicas, and requires that they are the same.</summary>
    public async Task CheckReplicasAsync()
    {
        for (int set = 0; set < ClusterWork.Sets; set++)
            await UntilAsync(set % Count, IsAnswered, "XCHECK", $"s{set}");
    }

    /// <summary>Asks a node until a reply is right, and fails when time is over.</summary>
    public async Task<string> UntilAsync(int node, Predicate<string> isIt, params string[] arguments)
    {
        using RespClient client = await RespClient.ConnectAsync(this[node].Port);
        string found = await Polling.UntilAsync(() => client.CallAsync(arguments), isIt);
        Assert.That(isIt(found), $"node {node}, {string.Join(' ', arguments)}: {found}");
        return found;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (ServerProcess? node in _nodes)
        {
            if (node is { IsRunning: true })
                await node.KillAsync();
            node?.Dispose();
        }

        foreach (string folder in _folders.Where(Directory.Exists))
            Directory.Delete(folder, recursive: true);
    }

    // All replicas of all shards have said what they hold, and it is the same.
    private static bool IsAnswered(string reply)
    {
        string[] shards = reply.Split("+replicas\r\n:")[1..];
        bool isWhole = shards.Length > 0 && Array.TrueForAll(
            shards, shard => shard.StartsWith($"{shard[0]}\r\n+answered\r\n:{shard[0]}\r\n", StringComparison.Ordinal));
        if (isWhole)
            Assert.That(shards, Is.All.Contains("+same\r\n:1\r\n"), reply);
        return isWhole;
    }
}

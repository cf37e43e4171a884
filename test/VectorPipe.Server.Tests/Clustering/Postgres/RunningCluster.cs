using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Nodes in this process with a client each, and a database.</summary>
internal sealed class RunningCluster(string connection, Action<ServerOptions>? change) : IAsyncDisposable
{
    private readonly List<RunningServer> _nodes = [];
    private readonly List<RespClient> _clients = [];

    public IReadOnlyList<RunningServer> Nodes => _nodes;

    /// <summary>Starts nodes, and waits until each knows all of them.</summary>
    public static async Task<RunningCluster> StartAsync(int nodes, string connection, Action<ServerOptions>? change = null)
    {
        var cluster = new RunningCluster(connection, change);
        try
        {
            for (int node = 0; node < nodes; node++)
                await cluster.AddNodeAsync();

            // A set is made on nodes that are known to be alive.
            for (int node = 0; node < nodes; node++)
            {
                string found = await cluster.UntilAsync(
                    node, reply => reply.Split("alive\r\n:1\r\n").Length == nodes + 1, "XNODES");
                Assert.That(found.Split("alive\r\n:1\r\n"), Has.Length.EqualTo(nodes + 1), "all nodes are alive");
            }

            return cluster;
        }
        catch
        {
            await cluster.DisposeAsync();
            throw;
        }
    }

    /// <summary>Starts a node with a folder of its own.</summary>
    public async Task AddNodeAsync()
    {
        string name = $"n{_nodes.Count}";
        RunningServer node = await RunningServer.StartAsync(options =>
        {
            options.Cluster = connection;
            options.NodeName = name;
            change?.Invoke(options);
        });
        _nodes.Add(node);
        _clients.Add(await node.ConnectAsync());
    }

    public Task<string> CallAsync(int node, params string[] arguments) => _clients[node].CallAsync(arguments);

    /// <summary>Calls until there is a reply: what other clients have written comes by itself, and soon.</summary>
    public async Task UntilAsync(int node, string reply, params string[] arguments)
    {
        string found = await UntilAsync(node, found => found == reply, arguments);
        Assert.That(found, Is.EqualTo(reply), string.Join(' ', arguments));
    }

    /// <summary>Calls until a reply is right, or time is over; the last one is returned.</summary>
    public Task<string> UntilAsync(int node, Predicate<string> isIt, params string[] arguments) =>
        Polling.UntilAsync(() => CallAsync(node, arguments), isIt);

    public async Task StopNodeAsync(int node)
    {
        _clients[node].Dispose();
        await _nodes[node].StopAsync();
    }

    public async Task StartNodeAsync(int node)
    {
        await _nodes[node].StartAgainAsync();
        _clients[node] = await _nodes[node].ConnectAsync();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (RespClient client in _clients)
            client.Dispose();
        foreach (RunningServer node in _nodes)
            await node.DisposeAsync();
    }
}

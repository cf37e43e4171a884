using System.Collections.Concurrent;
using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Clients that write and read at nodes, and note what is acknowledged, refused and answered, and when.</summary>
/// <remarks>Thread-safe. Keys go on from one piece of work to the next.</remarks>
internal sealed class ClusterWork
{
    /// <summary>Sets that it uses: "s0" and so on, each with an element "first".</summary>
    public const int Sets = 3;

    private const int WritersOfNode = 2;
    private const int KeysOfWriter = 4;

    // For each key: the last value that was acknowledged, and a later one that may have been written.
    private readonly ConcurrentDictionary<string, (int Acknowledged, int Tried)> _keys = new();
    private readonly ConcurrentQueue<ClusterCall> _reads = new();
    private readonly ConcurrentQueue<ClusterCall> _writes = new();
    private readonly List<Task> _tasks = [];
    private volatile bool _isEnding;

    /// <summary>Reads, as they ended.</summary>
    public IReadOnlyCollection<ClusterCall> Reads => _reads;

    /// <summary>Writes, as they ended.</summary>
    public IReadOnlyCollection<ClusterCall> Writes => _writes;

    /// <summary>The set of a writer's elements.</summary>
    public static string SetOf(int writer) => $"s{writer % Sets}";

    /// <summary>The value of an element, as VGETATTR replies; 0 for none.</summary>
    public static int ValueOf(string reply)
    {
        string[] lines = reply.Split("\r\n");
        return lines[0] == "$-1" ? 0 : int.Parse(lines[1], CultureInfo.InvariantCulture);
    }

    /// <summary>Begins at a node.</summary>
    public void Begin(int node, int port)
    {
        for (int i = 0; i < WritersOfNode; i++)
        {
            int writer = (node * WritersOfNode) + i;
            _tasks.Add(Task.Run(() => WriteAsync(writer, node, port)));
        }

        _tasks.Add(Task.Run(() => ReadAsync(node, port)));
    }

    /// <summary>Ends everywhere.</summary>
    public async Task EndAsync()
    {
        _isEnding = true;
        await Task.WhenAll(_tasks);
        _tasks.Clear();
        _isEnding = false;
    }

    /// <summary>Waits until there are more answered calls of a kind at each of some nodes.</summary>
    public Task PassAsync(IReadOnlyCollection<ClusterCall> calls, int more, params IEnumerable<int> nodes)
    {
        var targets = nodes.ToDictionary(node => node, node => Count(node) + more);
        return Polling.UntilAsync(
            async () =>
            {
                if (_tasks.Find(task => task.IsFaulted) is { } failed)
                    await failed;
                return targets.All(target => Count(target.Key) >= target.Value);
            },
            $"nodes {string.Join(", ", targets.Keys)} go on");

        int Count(int node) => calls.Count(call => call.Node == node && call.Error is null);
    }

    /// <summary>Requires at a node that no acknowledged write is lost, and nothing is there that nobody has written.</summary>
    public async Task CheckAsync(int node, int port, string context)
    {
        using RespClient client = await RespClient.ConnectAsync(port);
        foreach ((string key, (int acknowledged, int tried)) in _keys)
        {
            int writer = int.Parse(key.AsSpan(0, key.IndexOf('/')), CultureInfo.InvariantCulture);
            string found = await Polling.UntilAsync(
                () => client.CallAsync("VGETATTR", SetOf(writer), key), reply => reply[0] == '$' && ValueOf(reply) >= acknowledged);
            Assert.That(found, Does.StartWith("$"), $"{key} at node {node}; {context}");
            Assert.That(ValueOf(found), Is.InRange(acknowledged, tried), $"{key} at node {node}; {context}");
        }
    }

    // One operation after another; after one that was not acknowledged, either may be there.
    private async Task WriteAsync(int writer, int node, int port)
    {
        var random = new Random(writer);
        using RespClient client = await RespClient.ConnectAsync(port);
        using var pause = new PeriodicTimer(Polling.Pause);
        while (!_isEnding)
        {
            await pause.WaitForNextTickAsync(CancellationToken.None);
            string key = $"{writer}/{random.Next(KeysOfWriter)}";
            (int acknowledged, int tried) = _keys.GetValueOrDefault(key);
            int value = tried + 1;
            _keys[key] = (acknowledged, value);
            long begin = TimeProvider.System.GetTimestamp();
            string reply = await client.CallAsync(
                "VADD", SetOf(writer), "VALUES", "2", "1", "1", key, "SETATTR", value.ToString(CultureInfo.InvariantCulture));
            long end = TimeProvider.System.GetTimestamp();
            bool isDone = reply[0] == ':';
            _writes.Enqueue(new ClusterCall(node, begin, end, isDone ? null : reply));
            if (!isDone)
            {
                Assert.That(reply, Does.StartWith("-TRYAGAIN").Or.StartWith("-UNKNOWN").Or.StartWith("-NOREPLICA"));
                continue;
            }

            // A client sees its own writes at once.
            _keys[key] = (value, value);
            string read = await client.CallAsync("VGETATTR", SetOf(writer), key);
            bool isSeen = read[0] == '$' && ValueOf(read) == value;
            _reads.Enqueue(new ClusterCall(node, end, TimeProvider.System.GetTimestamp(), isSeen ? null : $"{read}, of {key} = {value}"));
        }
    }

    private async Task ReadAsync(int node, int port)
    {
        using RespClient client = await RespClient.ConnectAsync(port);
        using var pause = new PeriodicTimer(Polling.Pause);
        for (int i = 0; !_isEnding; i++)
        {
            await pause.WaitForNextTickAsync(CancellationToken.None);
            long begin = TimeProvider.System.GetTimestamp();
            string reply = await client.CallAsync("VSIM", $"s{i % Sets}", "ELE", "first", "COUNT", "1");
            bool isDone = reply.StartsWith("*1\r\n$", StringComparison.Ordinal);
            _reads.Enqueue(new ClusterCall(node, begin, TimeProvider.System.GetTimestamp(), isDone ? null : reply));
        }
    }
}

using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Sets of four shards, each on two of three nodes, answer as those of a server alone.</summary>
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
[Parallelizable(ParallelScope.All)]
internal sealed class ShardedSetTests
{
    private const int Nodes = 3;
    private const int Shards = 4;
    private const int Elements = 60;
    private const int Dimension = 8;

    private readonly RespClient[] _clients = new RespClient[2];
    private RunningCluster _cluster = null!;
    private RunningServer _alone = null!;

    [SetUp]
    public async Task StartAsync()
    {
        _cluster = await RunningCluster.StartAsync(
            Nodes, await PostgresFixture.Server.CreateDatabaseAsync(), static options => options.Shards = Shards);
        _alone = await RunningServer.StartAsync();
        _clients[0] = await _alone.ConnectAsync();

        // Of node 1: what it has written, it reads.
        _clients[1] = await _cluster.Nodes[1].ConnectAsync();
        var random = new Random(7);
        byte[][] adds = [.. Enumerable.Range(0, Elements).Select(i => RespClient.Encode(AddOf(i, random)))];
        foreach (RespClient client in _clients)
            Assert.That(await client.CallAllAsync(adds), Is.All.EqualTo(":1\r\n"));
    }

    [TearDown]
    public async Task StopAsync()
    {
        foreach (RespClient client in _clients)
            client?.Dispose();
        if (_alone is not null)
            await _alone.DisposeAsync();
        if (_cluster is not null)
            await _cluster.DisposeAsync();
    }

    [Test]
    public async Task Replies_are_those_of_a_server_alone()
    {
        string[] vector = [.. Enumerable.Repeat("0.5", Dimension)];
        string[][] commands =
        [
            ["VCARD", "s"],
            ["VDIM", "s"],
            ["VEMB", "s", "e17"],
            ["VEMB", "s", "e17", "RAW"],
            ["VEMB", "s", "none"],
            ["VGETATTR", "s", "e3"],
            ["VGETATTR", "s", "e4"],
            ["VISMEMBER", "s", "e59"],
            ["VISMEMBER", "s", "e60"],
            ["VRANGE", "s", "-", "+"],
            ["VRANGE", "s", "[e1", "(e3", "7"],
            ["VRANGE", "s", "-", "+", "0"],
            ["VLINKS", "s", "e5"],
            ["VLINKS", "s", "e5", "WITHSCORES"],
            ["VLINKS", "s", "none"],
            ["VRANDMEMBER", "s", "0"],
            ["VSIM", "s", "ELE", "e5", "TRUTH"],
            ["VSIM", "s", "ELE", "e5", "TRUTH", "WITHSCORES", "COUNT", "25"],
            ["VSIM", "s", "ELE", "e5", "TRUTH", "WITHATTRIBS"],
            ["VSIM", "s", "ELE", "e5", "TRUTH", "WITHSCORES", "WITHATTRIBS", "COUNT", "100"],
            ["VSIM", "s", "ELE", "e5", "TRUTH", "WITHSCORES", "EPSILON", "0.05"],
            ["VSIM", "s", "ELE", "e5", "TRUTH", "FILTER", ".n > 20", "WITHATTRIBS"],
            ["VSIM", "s", "VALUES", $"{Dimension}", .. vector, "TRUTH", "COUNT", "12"],
            ["VSIM", "s", "VALUES", $"{Dimension}", .. vector],
            ["VSIM", "s", "ELE", "e5", "TRUTH", "WITHSCORES", "XRAW"],
        ];
        foreach (string version in new[] { "2", "3" })
        {
            foreach (RespClient client in _clients)
                await client.CallAsync("HELLO", version);
            foreach (string[] command in commands)
            {
                (string alone, string cluster) = await CallBothAsync(command);
                Assert.That(cluster, Is.EqualTo(alone), $"{string.Join(' ', command)}, version {version}");
            }
        }
    }

    [Test]
    public async Task Errors_are_those_of_a_server_alone()
    {
        string[][] commands =
        [
            ["VSIM", "s", "ELE", "none"],
            ["VSIM", "s", "ELE", "e5", "COUNT", "0"],
            ["VSIM", "s", "ELE", "e5", "WHAT"],
            ["VSIM", "s", "ELE", "e5", "FILTER", "(("],
            ["VSIM", "s", "VALUES", "2", "1", "1"],
            ["VSIM", "s", "VALUES", "x", "1", "1"],
            ["VEMB", "s", "e5", "WHAT"],
            ["VLINKS", "s", "e5", "WHAT"],
            ["VRANGE", "s", "+", "-"],
            ["VRANGE", "s", "x", "+"],
            ["VRANGE", "s", "-", "+", "x"],
            ["VRANDMEMBER", "s", "x"],
            ["VRANDMEMBER", "s", "1", "2"],
            ["VSIM", "none", "ELE", "e5"],
            ["VRANDMEMBER", "none"],
            ["VCARD", "none"],
        ];
        foreach (string[] command in commands)
        {
            (string alone, string cluster) = await CallBothAsync(command);
            Assert.That(cluster, Is.EqualTo(alone), string.Join(' ', command));
        }
    }

    // One over one and so little is one for all of them.
    [Test]
    public async Task The_nearest_come_first_even_if_their_scores_are_equal()
    {
        const int count = 24;
        for (int i = 0; i < count; i++)
            await CallBothAsync("VADD", "near", "VALUES", "1", $"{i}e-10", $"e{i}", "XDISTANCE_METRIC", "L2");
        (string alone, string cluster) = await CallBothAsync("VSIM", "near", "VALUES", "1", "0", "COUNT", $"{count}", "TRUTH");
        Assert.That(cluster, Is.EqualTo(alone));
        Assert.That(NamesOf(cluster), Is.EqualTo(Enumerable.Range(0, count).Select(i => $"e{i}")));
    }

    [Test]
    public async Task Elements_are_drawn_from_all_shards()
    {
        RespClient client = _clients[1];
        string[] all = NamesOf(await client.CallAsync("VRANDMEMBER", "s", "1000"));
        string[] some = NamesOf(await client.CallAsync("VRANDMEMBER", "s", "20"));
        string[] repeated = NamesOf(await client.CallAsync("VRANDMEMBER", "s", "-500"));
        string one = await client.CallAsync("VRANDMEMBER", "s");

        // Each of 60 elements is drawn 500 times with a chance of a 60th: one that is missed has a chance of 0.0002.
        Assert.Multiple(() =>
        {
            Assert.That(all, Is.EquivalentTo(Enumerable.Range(0, Elements).Select(i => $"e{i}")));
            Assert.That(some, Has.Length.EqualTo(20).And.Unique);
            Assert.That(repeated, Has.Length.EqualTo(500));
            Assert.That(repeated.Distinct().Count(), Is.GreaterThan(Elements / 2));
            Assert.That(one, Does.Match("^\\$[23]\r\ne[0-9]+\r\n$"));
        });
    }

    [Test]
    public async Task Figures_are_those_of_all_shards()
    {
        await _clients[1].CallAsync("HELLO", "3");
        string info = await _clients[1].CallAsync("VINFO", "s");
        Assert.Multiple(() =>
        {
            Assert.That(info, Does.Contain($"+size\r\n:{Elements}\r\n"));
            Assert.That(info, Does.Contain($"+attributes-count\r\n:{Elements / 3}\r\n"));
            Assert.That(info, Does.Contain($"+vp-shards\r\n:{Shards}\r\n"));
            Assert.That(info, Does.Contain($"+vector-dim\r\n:{Dimension}\r\n"));
        });
    }

    [Test]
    public async Task A_set_without_a_node_is_read_whole_and_the_node_comes_back_with_all()
    {
        for (int node = 0; node < Nodes; node++)
            await _cluster.UntilAsync(node, $":{Elements}\r\n", "VCARD", "s");
        (string expected, _) = await CallBothAsync("VSIM", "s", "ELE", "e9", "TRUTH", "COUNT", "20", "WITHSCORES");
        await _cluster.StopNodeAsync(2);
        Assert.That(await _cluster.CallAsync(0, "VREM", "s", "e0"), Is.EqualTo(":1\r\n"));
        Assert.That(await _cluster.CallAsync(0, "VCARD", "s"), Is.EqualTo($":{Elements - 1}\r\n"));
        await _cluster.StartNodeAsync(2);
        await _cluster.UntilAsync(2, $":{Elements - 1}\r\n", "VCARD", "s");
        await _cluster.CallAsync(0, "DEL", "s");
        for (int node = 0; node < Nodes; node++)
            await _cluster.UntilAsync(node, ":0\r\n", "VCARD", "s");
        Assert.That(expected, Does.StartWith("*40\r\n"));
    }

    [Test]
    public async Task Each_node_compacts_its_own_replicas()
    {
        // Three nodes hold eight replicas of four shards: each holds two or three.
        for (int node = 0; node < Nodes; node++)
        {
            await _cluster.UntilAsync(node, $":{Elements}\r\n", "VCARD", "s");
            Assert.That(await _cluster.CallAsync(node, "XCOMPACT", "s"), Is.EqualTo(":1\r\n"));
        }

        string info = await _cluster.CallAsync(0, "VINFO", "s");
        Assert.That(info, Does.Contain("+vp-waiting\r\n:0\r\n").And.Contain("+vp-generation\r\n:1\r\n"));
        string near = await _cluster.CallAsync(0, "VSIM", "s", "ELE", "e5", "COUNT", "1");
        Assert.That(near, Is.EqualTo("*1\r\n$2\r\ne5\r\n"));
    }

    [TestCase("XTRACE")]
    [TestCase("XCURSOR")]
    public async Task What_needs_one_shard_is_refused(string option)
    {
        string reply = await _clients[1].CallAsync("VSIM", "s", "ELE", "e5", option);
        Assert.That(reply, Is.EqualTo($"-ERR {option}: expected a set with one shard, found {Shards}\r\n"));
        Assert.That(
            await _clients[1].CallAsync("XNEXT", "s", "1"), Is.EqualTo($"-ERR xnext: expected a set with one shard, found {Shards}\r\n"));
    }

    // A client may name a set as it likes; replicas have names that look alike.
    [Test]
    public async Task A_replica_is_no_set_of_its_own()
    {
        for (int shard = 1; shard <= Shards; shard++)
        {
            Assert.That(await _clients[1].CallAsync("VCARD", $"s#{shard}"), Is.EqualTo(":0\r\n"));
            Assert.That(await _clients[1].CallAsync("MEMORY", "USAGE", $"s#{shard}"), Is.EqualTo("$-1\r\n"));
        }

        Assert.That(await _clients[1].CallAsync("VADD", "s#1", "VALUES", "1", "1", "a"), Is.EqualTo(":1\r\n"));
        Assert.That(await _clients[1].CallAsync("VCARD", "s"), Is.EqualTo($":{Elements}\r\n"));
        Assert.That(await _clients[1].CallAsync("MEMORY", "USAGE", "s"), Does.StartWith(":"));
    }

    private static string[] AddOf(int i, Random random)
    {
        string[] vector =
            [.. Enumerable.Range(0, Dimension).Select(_ => random.NextSingle().ToString("R", CultureInfo.InvariantCulture))];
        string[] attributes = i % 3 == 0 ? ["SETATTR", $$"""{"n":{{i}}}"""] : [];
        return ["VADD", "s", "VALUES", $"{Dimension}", .. vector, $"e{i}", "NOQUANT", .. attributes];
    }

    private static string[] NamesOf(string reply) => [.. reply.Split("\r\n").Where(line => line.StartsWith('e'))];

    private async Task<(string Alone, string Cluster)> CallBothAsync(params string[] command) =>
        (await _clients[0].CallAsync(command), await _clients[1].CallAsync(command));
}

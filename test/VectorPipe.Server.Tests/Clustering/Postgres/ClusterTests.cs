using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Three nodes, each set on two of them, and a database.</summary>
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
[Parallelizable(ParallelScope.All)]
internal sealed class ClusterTests
{
    private const int Nodes = 3;

    private RunningCluster _cluster = null!;
    private PostgresServer? _ownDatabase;
    private string _connection = null!;

    [SetUp]
    public async Task StartAsync()
    {
        _connection = await PostgresFixture.Server.CreateDatabaseAsync();
        _cluster = await RunningCluster.StartAsync(Nodes, _connection);
    }

    [TearDown]
    public async Task StopAsync()
    {
        if (_cluster is not null)
            await _cluster.DisposeAsync();
        if (_ownDatabase is not null)
            await _ownDatabase.DisposeAsync();
        _ownDatabase = null;
    }

    [Test]
    public async Task What_is_written_at_any_node_is_read_at_every_node()
    {
        for (int i = 0; i < 30; i++)
        {
            string reply = await CallAsync(i % Nodes, "VADD", "s", "VALUES", "2", "1", $"{i}", $"e{i}", "SETATTR", $"{i}");
            Assert.That(reply, Is.EqualTo(":1\r\n"));
        }

        for (int node = 0; node < Nodes; node++)
        {
            await UntilAsync(node, ":30\r\n", "VCARD", "s");
            Assert.That(await CallAsync(node, "VDIM", "s"), Is.EqualTo(":2\r\n"));
            Assert.That(await CallAsync(node, "VGETATTR", "s", "e7"), Is.EqualTo("$1\r\n7\r\n"));
            Assert.That(await CallAsync(node, "VSIM", "s", "ELE", "e5", "COUNT", "1", "TRUTH"), Is.EqualTo("*1\r\n$2\r\ne5\r\n"));
            Assert.That(await CallAsync(node, "EXISTS", "s"), Is.EqualTo(":1\r\n"));
            await UntilAsync(node, "*3\r\n$3\r\ne28\r\n$3\r\ne29\r\n$2\r\ne3\r\n", "VRANGE", "s", "[e28", "[e3");
            Assert.That(await CallAsync(node, "VEMB", "none", "e"), Is.EqualTo("$-1\r\n"));
        }
    }

    [Test]
    public async Task Every_node_traces_a_search_and_those_with_a_replica_go_on_with_one()
    {
        for (int i = 0; i < 4; i++)
            await CallAsync(0, "VADD", "s", "VALUES", "2", "1", $"{i}", $"e{i}");
        int refused = 0;
        for (int node = 0; node < Nodes; node++)
        {
            await UntilAsync(node, ":4\r\n", "VCARD", "s");
            string traced = await CallAsync(node, "VSIM", "s", "ELE", "e0", "COUNT", "1", "XTRACE");
            Assert.That(traced, Does.StartWith("*2\r\n*1\r\n$2\r\ne0\r\n*20\r\n+reads\r\n"));
            string first = await CallAsync(node, "VSIM", "s", "ELE", "e0", "COUNT", "3", "TRUTH", "XCURSOR");
            string next = await CallAsync(node, "XNEXT", "s", "1");
            if (first.StartsWith("-ERR XCURSOR: expected a replica of the set on this node", StringComparison.Ordinal))
            {
                refused++;
                Assert.That(next, Is.EqualTo(first));
                continue;
            }

            Assert.That(first, Is.EqualTo("*2\r\n*3\r\n$2\r\ne0\r\n$2\r\ne1\r\n$2\r\ne2\r\n:1\r\n"));
            Assert.That(next, Is.EqualTo("*2\r\n*1\r\n$2\r\ne3\r\n:0\r\n"));
        }

        Assert.That(refused, Is.EqualTo(1), "nodes without a replica");
    }

    [Test]
    public async Task A_reply_says_what_a_write_did()
    {
        await CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a");
        string[] replies =
        [
            await CallAsync(1, "VADD", "s", "VALUES", "2", "1", "2", "a"),
            await CallAsync(2, "VSETATTR", "s", "a", "{}"),
            await CallAsync(0, "VSETATTR", "s", "b", "{}"),
            await CallAsync(1, "VREM", "s", "a"),
            await CallAsync(2, "VREM", "s", "a"),
            await CallAsync(0, "VREM", "none", "a"),
        ];

        Assert.That(replies, Is.EqualTo(new[] { ":0\r\n", ":1\r\n", ":0\r\n", ":1\r\n", ":0\r\n", ":0\r\n" }));
    }

    [Test]
    public async Task An_element_that_gets_another_vector_keeps_its_attributes()
    {
        await CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a", "SETATTR", "kept");
        await CallAsync(1, "VADD", "s", "VALUES", "2", "1", "2", "a");
        Assert.That(await CallAsync(1, "VGETATTR", "s", "a"), Is.EqualTo("$4\r\nkept\r\n"));
        await CallAsync(2, "VADD", "s", "VALUES", "2", "1", "2", "a", "SETATTR", "");
        Assert.That(await CallAsync(2, "VGETATTR", "s", "a"), Is.EqualTo("$-1\r\n"));
    }

    [Test]
    public async Task A_vector_that_a_replica_could_not_keep_does_not_come_into_the_log()
    {
        await CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a", "XDISTANCE_METRIC", "L2");
        foreach (string component in new[] { "1e20", "3e38", "nan", "inf" })
        {
            Assert.That(
                await CallAsync(1, "VADD", "s", "VALUES", "2", component, "1", "b"), Does.StartWith("-ERR invalid vector specification"));
        }

        Assert.That(await CallAsync(1, "VADD", "s", "VALUES", "2", "1e10", "1", "c"), Is.EqualTo(":1\r\n"));
    }

    [Test]
    public async Task A_vector_of_zeros_is_taken_by_the_metric_of_the_set()
    {
        await CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a", "XDISTANCE_METRIC", "L2");
        Assert.That(await CallAsync(1, "VADD", "s", "VALUES", "2", "0", "0", "b"), Is.EqualTo(":1\r\n"));
        await CallAsync(0, "VADD", "cosine", "VALUES", "2", "1", "1", "a");
        foreach (string set in (string[])["cosine", "none"])
        {
            Assert.That(
                await CallAsync(1, "VADD", set, "VALUES", "2", "0", "0", "b"), Is.EqualTo("-ERR invalid vector specification\r\n"), set);
        }

        Assert.That(await CallAsync(1, "EXISTS", "none"), Is.EqualTo(":0\r\n"), "nothing is made of it");
    }

    [Test]
    public async Task A_removal_by_an_old_map_is_of_the_set_that_is_there()
    {
        // Of some of them node 1 has no replica, and hears late of what others do.
        foreach (string set in Enumerable.Range(0, 10).Select(i => $"s{i}"))
        {
            await CallAsync(0, "VADD", set, "VALUES", "2", "1", "1", "a");
            await CallAsync(1, "VISMEMBER", set, "a");
            await CallAsync(0, "DEL", set);
            await CallAsync(0, "VADD", set, "VALUES", "2", "1", "1", "a");
            Assert.That(await CallAsync(1, "DEL", set), Is.EqualTo(":1\r\n"));
            await UntilAsync(0, ":0\r\n", "EXISTS", set);
            await CallAsync(0, "VADD", set, "VALUES", "2", "1", "1", "a");
            await CallAsync(1, "VISMEMBER", set, "a");
            await CallAsync(0, "DEL", set);
            Assert.That(await CallAsync(1, "DEL", set), Is.EqualTo(":0\r\n"), "there is none");
        }
    }

    [TestCase(2)]
    [TestCase(5, Category = "Heavy")]
    public async Task A_write_by_an_old_map_goes_to_the_set_that_is_there(int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            await CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a");
            await CallAsync(1, "VISMEMBER", "s", "a");
            await CallAsync(0, "DEL", "s");
            await CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a");
            Assert.That(await CallAsync(1, "VREM", "s", "a"), Is.EqualTo(":1\r\n"));
            await CallAsync(0, "DEL", "s");
            Assert.That(await CallAsync(1, "VSETATTR", "s", "a", "{}"), Is.EqualTo(":0\r\n"));
        }
    }

    [Test]
    public async Task A_command_that_is_passed_on_has_the_rights_of_its_user()
    {
        await CallAsync(0, "VADD", "secret", "VALUES", "2", "1", "1", "a");
        await CallAsync(0, "VADD", "app", "VALUES", "2", "1", "1", "a");
        for (int node = 0; node < Nodes; node++)
        {
            await CallAsync(node, "ACL", "SETUSER", "one", "on", "nopass", "~app", "+@all", "-vemb");
            using RespClient client = await _cluster.Nodes[node].ConnectAsync();
            await client.CallAsync("AUTH", "one", "any");
            for (int shard = 1; shard <= 2; shard++)
            {
                string text = shard.ToString(CultureInfo.InvariantCulture);
                Assert.That(await client.CallAsync("XSHARD", text, "0", "2", "VGETATTR", "secret", "a"), Does.StartWith("-NOPERM"));
                Assert.That(await client.CallAsync("XSHARD", text, "0", "2", "VEMB", "app", "a"), Does.StartWith("-NOPERM"));
            }

            Assert.That(await client.CallAsync("XSHARD", "1", "0", "2", "VGETATTR", "app", "a"), Does.StartWith("-NOTREADY"));
        }
    }

    [Test]
    public async Task A_client_reads_what_it_has_written_wherever_the_replicas_are()
    {
        // Two of three nodes hold a set, so of each ten sets some are elsewhere for every node.
        for (int set = 0; set < 10; set++)
        {
            for (int node = 0; node < Nodes; node++)
            {
                string name = $"s{set}";
                string vector = $"{node + 1}";
                await CallAsync(node, "VADD", name, "VALUES", "2", vector, "1", "e", "SETATTR", vector);
                Assert.That(await CallAsync(node, "VGETATTR", name, "e"), Is.EqualTo($"$1\r\n{vector}\r\n"), $"{name} at node {node}");
            }
        }
    }

    [Test]
    public async Task Each_client_has_replies_in_its_version_of_the_protocol()
    {
        await CallAsync(0, "VADD", "s", "VALUES", "1", "2", "a");
        for (int node = 0; node < Nodes; node++)
        {
            await UntilAsync(node, ":1\r\n", "VISMEMBER", "s", "a");
            await CallAsync(node, "HELLO", "3");
            Assert.That(await CallAsync(node, "VISMEMBER", "s", "a"), Is.EqualTo("#t\r\n"));
            Assert.That(
                await CallAsync(node, "VSIM", "s", "ELE", "a", "WITHSCORES"), Is.EqualTo("%1\r\n$1\r\na\r\n,1\r\n"));
        }
    }

    [Test]
    public async Task Errors_are_those_of_a_server_alone()
    {
        await CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a");
        for (int node = 0; node < Nodes; node++)
        {
            await UntilAsync(node, ":1\r\n", "VISMEMBER", "s", "a");
            Assert.Multiple(async () =>
            {
                Assert.That(
                    await CallAsync(node, "VADD", "s", "VALUES", "3", "1", "1", "1", "b"),
                    Is.EqualTo("-ERR Vector dimension mismatch - got 3 but set has 2\r\n"));
                Assert.That(await CallAsync(node, "VSIM", "s", "ELE", "none"), Is.EqualTo("-ERR element not found in set\r\n"));
                Assert.That(await CallAsync(node, "VSIM", "s", "ELE", "a", "COUNT", "0"), Is.EqualTo("-ERR invalid COUNT\r\n"));
                Assert.That(await CallAsync(node, "XCOMPACT", "none"), Is.EqualTo("-ERR key does not exist\r\n"));
                Assert.That(await CallAsync(node, "XSHARD", "99", "0", "2", "VCARD", "s"), Does.StartWith("-NOTREADY"));
                Assert.That(await CallAsync(node, "XSHARD", "1", "0", "2", "VREM", "s", "a"), Does.StartWith("-ERR XSHARD"));
            });
        }
    }

    [Test]
    public async Task A_set_that_is_removed_is_gone_everywhere_and_can_be_made_again()
    {
        await CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a");
        for (int node = 0; node < Nodes; node++)
            await UntilAsync(node, ":1\r\n", "VISMEMBER", "s", "a");
        Assert.That(await CallAsync(1, "DEL", "s"), Is.EqualTo(":1\r\n"));
        Assert.That(await CallAsync(1, "DEL", "s"), Is.EqualTo(":0\r\n"));
        for (int node = 0; node < Nodes; node++)
            await UntilAsync(node, ":0\r\n", "EXISTS", "s");
        Assert.That(await CallAsync(2, "VADD", "s", "VALUES", "3", "1", "1", "1", "b"), Is.EqualTo(":1\r\n"));
        for (int node = 0; node < Nodes; node++)
        {
            await UntilAsync(node, ":3\r\n", "VDIM", "s");
            await UntilAsync(node, ":0\r\n", "VISMEMBER", "s", "a");
        }
    }

    [Test]
    public async Task A_node_that_was_away_comes_back_with_all_that_was_written()
    {
        for (int set = 0; set < 6; set++)
            await CallAsync(0, "VADD", $"s{set}", "VALUES", "2", "1", "1", "a");
        await CallAsync(0, "VADD", "old", "VALUES", "2", "1", "1", "a");
        await _cluster.StopNodeAsync(2);
        for (int set = 0; set < 6; set++)
        {
            string added = await CallAsync(1, "VADD", $"s{set}", "VALUES", "2", "1", "2", "b");
            Assert.That(added, Is.EqualTo(":1\r\n"), added);
            Assert.That(await CallAsync(0, "VREM", $"s{set}", "a"), Is.EqualTo(":1\r\n"));
        }

        await CallAsync(0, "DEL", "old");
        await CallAsync(0, "VADD", "old", "VALUES", "3", "1", "1", "1", "c");
        await _cluster.StartNodeAsync(2);
        for (int set = 0; set < 6; set++)
        {
            await UntilAsync(2, ":1\r\n", "VISMEMBER", $"s{set}", "b");
            await UntilAsync(2, ":0\r\n", "VISMEMBER", $"s{set}", "a");
        }

        await UntilAsync(2, ":3\r\n", "VDIM", "old");
        await UntilAsync(2, ":1\r\n", "VISMEMBER", "old", "c");
    }

    [Test]
    public async Task Reads_go_on_without_a_node_and_without_the_database()
    {
        _ownDatabase = await PostgresServer.StartAsync();
        await _cluster.DisposeAsync();
        _cluster = await RunningCluster.StartAsync(Nodes, await _ownDatabase.CreateDatabaseAsync());
        for (int set = 0; set < 6; set++)
            await CallAsync(set % Nodes, "VADD", $"s{set}", "VALUES", "2", "1", "1", "a");
        for (int node = 0; node < 2; node++)
        {
            for (int set = 0; set < 6; set++)
                await UntilAsync(node, ":1\r\n", "VISMEMBER", $"s{set}", "a");
        }

        // With all of it, before the others are gone.
        await _cluster.StopNodeAsync(2);
        for (int node = 0; node < 2; node++)
        {
            for (int set = 0; set < 6; set++)
                await UntilAsync(node, ":1\r\n", "VISMEMBER", $"s{set}", "a");
        }

        await _ownDatabase.CrashAsync();
        for (int node = 0; node < 2; node++)
        {
            for (int set = 0; set < 6; set++)
                Assert.That(await CallAsync(node, "VISMEMBER", $"s{set}", "a"), Is.EqualTo(":1\r\n"), $"s{set} at node {node}");
        }

        Assert.That(await CallAsync(0, "VADD", "s0", "VALUES", "2", "1", "1", "b"), Does.StartWith("-TRYAGAIN").Or.StartWith("-UNKNOWN"));
        await _ownDatabase.StartAgainAsync();
        await UntilAsync(0, ":0\r\n", "VADD", "s0", "VALUES", "2", "1", "1", "a");
        await UntilAsync(1, ":0\r\n", "VADD", "new", "VALUES", "2", "1", "1", "a");
    }

    [Test]
    public async Task Nodes_are_described()
    {
        string reply = await CallAsync(1, "XNODES");
        Assert.That(reply, Does.StartWith("*3\r\n*16\r\n+name\r\n$2\r\nn0\r\n+address\r\n"));
        Assert.That(reply, Does.Contain($"127.0.0.1:{_cluster.Nodes[2].Port.ToString(CultureInfo.InvariantCulture)}"));
    }

    [Test]
    public async Task Health_and_metrics_know_the_replicas()
    {
        await using RunningServer node = await RunningServer.StartAsync(options =>
        {
            options.Cluster = _connection;
            options.NodeName = "with pages";
            options.HttpPort = 0;
            options.Replicas = 4;
        });
        using RespClient client = await node.ConnectAsync();
        await client.CallAsync("VADD", "s", "VALUES", "2", "1", "1", "a");
        using var http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{node.HttpPort}/") };
        string ready = await http.GetStringAsync(new Uri("readyz", UriKind.Relative));
        string metrics = await http.GetStringAsync(new Uri("metrics", UriKind.Relative));
        string sets = await http.GetStringAsync(new Uri("api/v1/sets", UriKind.Relative));
        string cluster = await http.GetStringAsync(new Uri("api/v1/cluster", UriKind.Relative));
        string hits = await http.GetStringAsync(new Uri("api/v1/search?set=s&element=a&count=1", UriKind.Relative));

        Assert.Multiple(() =>
        {
            Assert.That(cluster, Does.StartWith("{\"isCluster\":true,\"nodes\":[{\"name\":\"n0\",\"address\":\"127.0.0.1:"));
            Assert.That(
                cluster, Does.Contain("\"isAlive\":true,\"isSelf\":true,\"isLeaving\":false,\"shards\":1,\"joining\":0,\"behind\":"));
            Assert.That(cluster, Does.Contain("\"shard\":1,\"nodes\":[\"n0\",\"n1\",\"n2\",\"with pages\"],\"joining\":[]}"));
            Assert.That(cluster, Does.Contain("\"isServing\":true,\"applied\":1,\"head\":1,\"failure\":null}]}"));
            Assert.That(sets, Does.Contain("\"s#1\""));
            Assert.That(hits, Does.Contain("\"a\""));
            Assert.That(ready, Is.EqualTo("ok\n"));
            Assert.That(metrics, Does.Contain("vectorpipe_cluster_alive_nodes 4\n"));
            Assert.That(metrics, Does.Contain("vectorpipe_cluster_lag{set=\"s\",shard=\"1\"} 0\n"));
            Assert.That(metrics, Does.Contain("\nvectorpipe_cluster_hedges_total 0\n"));
        });
    }

    private Task<string> CallAsync(int node, params string[] arguments) => _cluster.CallAsync(node, arguments);

    private Task UntilAsync(int node, string reply, params string[] arguments) => _cluster.UntilAsync(node, reply, arguments);
}

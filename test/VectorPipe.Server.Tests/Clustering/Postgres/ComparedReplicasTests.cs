using System.Globalization;
using Npgsql;
using NUnit.Framework;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Replicas of a shard are compared at the same position of the log.</summary>
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
[Parallelizable(ParallelScope.All)]
internal sealed class ComparedReplicasTests
{
    private const string Same = "+same\r\n:1\r\n", Different = "+same\r\n:0\r\n";

    private RunningCluster _cluster = null!;
    private string _connection = null!;

    [TearDown]
    public async Task StopAsync()
    {
        if (_cluster is not null)
            await _cluster.DisposeAsync();
    }

    [TestCase("COSINE", Category = "Heavy")]
    [TestCase("L2")]
    public async Task Replicas_are_the_same_whatever_each_has_made_of_its_index(string metric)
    {
        await StartAsync(nodes: 2, shards: 2);
        var random = new Random(1);
        for (int i = 0; i < 300; i++)
        {
            string element = $"e{random.Next(100)}";
            string reply = random.Next(4) switch
            {
                0 => await _cluster.CallAsync(i % 2, "VREM", "s", element),
                1 => await _cluster.CallAsync(i % 2, "VSETATTR", "s", element, $"{i}"),
                _ => await _cluster.CallAsync(i % 2, [.. AddOf(element, random), "XDISTANCE_METRIC", metric]),
            };
            Assert.That(reply[0], Is.EqualTo(':'), reply);
        }

        string first = await _cluster.CallAsync(0, "XCHECK", "s");
        await _cluster.CallAsync(1, "XCOMPACT", "s");
        string compacted = await _cluster.CallAsync(1, "XCHECK", "s");
        await _cluster.CallAsync(0, AddOf("more", random));
        await _cluster.CallAsync(1, "XCOMPACT", "s");
        await _cluster.StopNodeAsync(0);
        await _cluster.StartNodeAsync(0);
        string again = await _cluster.CallAsync(1, "XCHECK", "s");
        Assert.Multiple(() =>
        {
            foreach (string reply in new[] { first, compacted, again })
                Assert.That(reply.Split(Same), Has.Length.EqualTo(3), reply);
            Assert.That(first, Does.Contain("+replicas\r\n:2\r\n+answered\r\n:2\r\n"));
        });
    }

    [Test]
    public async Task A_replica_that_differs_from_two_becomes_a_copy_of_one()
    {
        await StartAsync(nodes: 3, shards: 1, elements: 20);
        await RemoveBehindTheBackAsync(1, "e7");
        Assert.That(await _cluster.CallAsync(0, "XCHECK", "s"), Does.Contain(Different));
        await _cluster.UntilAsync(1, ":20\r\n", "XSHARD", "1", "0", "2", "VCARD", "s");
        Assert.That(await _cluster.CallAsync(1, "XCHECK", "s"), Does.Contain(Same));
    }

    [Test]
    public async Task A_replica_that_was_found_wrong_is_not_read_after_a_restart_either()
    {
        await StartAsync(nodes: 3, shards: 1, elements: 20);
        await RemoveBehindTheBackAsync(1, "e7");

        // Where copies are made is a file, so it can become a copy of nobody.
        string[] inTheWay = [.. new[] { 0, 2 }.Select(node => Path.Combine(_cluster.Nodes[node].Directory, "copies"))];
        foreach (string path in inTheWay)
            await File.WriteAllBytesAsync(path, []);
        Assert.That(await _cluster.CallAsync(0, "XCHECK", "s"), Does.Contain(Different));
        string found = await _cluster.UntilAsync(
            1, reply => reply.StartsWith("-NOTREADY", StringComparison.Ordinal), "XSHARD", "1", "0", "2", "VCARD", "s");
        await _cluster.StopNodeAsync(1);
        await _cluster.StartNodeAsync(1);
        string again = await _cluster.CallAsync(1, "XSHARD", "1", "0", "2", "VCARD", "s");
        Assert.That(new[] { found, again }, Is.All.StartsWith("-NOTREADY"));

        // When both of the others could make no copy, it asks them again after a minute; after a restart at once.
        await _cluster.StopNodeAsync(1);
        foreach (string path in inTheWay)
            File.Delete(path);
        await _cluster.StartNodeAsync(1);
        await _cluster.UntilAsync(1, ":20\r\n", "XSHARD", "1", "0", "2", "VCARD", "s");
    }

    [Test]
    public async Task All_replicas_answer_each_of_those_who_ask_at_once()
    {
        await StartAsync(nodes: 2, shards: 1, elements: 20);
        RespClient[] clients = await Task.WhenAll(Enumerable.Range(0, 8).Select(i => _cluster.Nodes[i % 2].ConnectAsync()));
        string[] replies = await Task.WhenAll(clients.Select(client => client.CallAsync("XCHECK", "s")));
        foreach (RespClient client in clients)
            client.Dispose();
        Assert.That(replies, Is.All.Contains("+answered\r\n:2\r\n" + Same));
    }

    [Test]
    public async Task A_replica_that_is_opened_behind_the_mark_answers_at_another_one()
    {
        await StartAsync(nodes: 2, shards: 1, elements: 20);
        await _cluster.UntilAsync(1, ":20\r\n", "XSHARD", "1", "0", "2", "VCARD", "s");
        await _cluster.StopNodeAsync(1);
        Task<string> check = _cluster.CallAsync(0, "XCHECK", "s");
        await using var database = NpgsqlDataSource.Create(_connection);
        await Polling.UntilAsync(
            async () =>
            {
                await using NpgsqlCommand read = database.CreateCommand("SELECT head FROM vectorpipe.shard");
                return await read.ExecuteScalarAsync() is 21L;
            },
            "the log is marked");
        await _cluster.StartNodeAsync(1);
        Assert.That(await check, Does.Contain("+replicas\r\n:2\r\n+answered\r\n:2\r\n" + Same));
    }

    [Test]
    public async Task Of_two_replicas_that_differ_neither_goes()
    {
        await StartAsync(nodes: 2, shards: 1, elements: 5);
        await RemoveBehindTheBackAsync(1, "e3");
        Assert.That(await _cluster.CallAsync(0, "XCHECK", "s"), Does.Contain(Different));
        Assert.That(await _cluster.CallAsync(0, "XSHARD", "1", "0", "2", "VCARD", "s"), Is.EqualTo(":5\r\n"));
        Assert.That(await _cluster.CallAsync(1, "XSHARD", "1", "0", "2", "VCARD", "s"), Is.EqualTo(":4\r\n"));
        Assert.That(await _cluster.CallAsync(0, "XCHECK", "none"), Does.StartWith("-ERR key does not exist"));
    }

    private async Task StartAsync(int nodes, int shards, int elements = 0)
    {
        _connection = await PostgresFixture.Server.CreateDatabaseAsync();
        _cluster = await RunningCluster.StartAsync(
            nodes, _connection,
            options => (options.Shards, options.Replicas) = (shards, nodes));
        var random = new Random(1);
        for (int i = 0; i < elements; i++)
            await _cluster.CallAsync(0, AddOf($"e{i}", random));
    }

    private static string[] AddOf(string element, Random random) =>
        [
            "VADD", "s", "VALUES", "3",
            .. Enumerable.Range(0, 3).Select(_ => (random.NextSingle() - 0.5f).ToString("R", CultureInfo.InvariantCulture)),
            element,
        ];

    // As a defect would.
    private async Task RemoveBehindTheBackAsync(int node, string element)
    {
        await _cluster.UntilAsync(node, reply => reply == ":1\r\n", "VISMEMBER", "s", element);
        using HeldSet held = _cluster.Nodes[node].Find(SetSettings.LocalNameOf("s", 1));
        Assert.That(await held.Set.Collection.DeleteAsync(element), Is.True);
    }
}

using System.Globalization;
using Npgsql;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Replicas move as nodes come, leave and are lost, and the log is trimmed.</summary>
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
[Parallelizable(ParallelScope.All)]
internal sealed class MovingReplicasTests
{
    private const int Elements = 60;

    private RunningCluster _cluster = null!;
    private NpgsqlDataSource _database = null!;
    private string _connection = null!;

    [SetUp]
    public async Task CreateAsync()
    {
        _connection = await PostgresFixture.Server.CreateDatabaseAsync();
        _database = NpgsqlDataSource.Create(_connection);
    }

    [TearDown]
    public async Task StopAsync()
    {
        if (_cluster is not null)
            await _cluster.DisposeAsync();
        await _database.DisposeAsync();
    }

    [Test]
    public async Task A_node_that_is_lost_is_replaced_by_a_copy_of_another()
    {
        await StartAsync(nodes: 3, shards: 3);
        await FillAsync();
        await UntilTrimmedAsync();
        await _cluster.StopNodeAsync(2);
        foreach (int node in new[] { 0, 1 })
        {
            await UntilHoldsAsync(node, shards: 3, of: 3);
            await CheckAsync(node);
        }

        // It has no part in the set any more, and reads it all the same.
        await _cluster.StartNodeAsync(2);
        await CheckAsync(2);
    }

    [Test]
    public async Task A_node_that_comes_gets_the_replicas_that_were_missing()
    {
        await StartAsync(nodes: 1, shards: 2);
        await FillAsync();
        await _cluster.AddNodeAsync();
        await UntilHoldsAsync(1, shards: 2, of: 2);
        await _cluster.StopNodeAsync(0);
        await CheckAsync(1);
    }

    [Test]
    [Category("Heavy")]
    public async Task A_node_that_leaves_gives_away_what_it_has_and_is_forgotten()
    {
        await StartAsync(nodes: 3, shards: 3);
        await FillAsync();
        await UntilTrimmedAsync();
        Assert.That(await _cluster.CallAsync(0, "XNODE", "LEAVE", "n1"), Is.EqualTo("+OK\r\n"));
        await UntilHoldsAsync(1, shards: 0, of: 3);
        Assert.That(await _cluster.CallAsync(0, "XNODE", "FORGET", "n1"), Does.StartWith("-ERR XNODE: expected a node that is stopped"));
        await _cluster.StopNodeAsync(1);
        Assert.That(await _cluster.CallAsync(0, "XNODE", "FORGET", "n1"), Is.EqualTo("+OK\r\n"));
        await CheckAsync(0);
        await CheckAsync(2);
        string nodes = await _cluster.UntilAsync(2, reply => reply.StartsWith("*2\r\n", StringComparison.Ordinal), "XNODES");
        Assert.That(nodes, Does.StartWith("*2\r\n"));
    }

    [Test]
    public async Task A_node_that_comes_back_behind_the_log_gets_a_copy()
    {
        await StartAsync(nodes: 2, shards: 1);
        await FillAsync();
        await UntilTrimmedAsync();
        await _cluster.StopNodeAsync(1);
        await WriteAsync(0, Elements, 2 * Elements);

        // As if a third node had been there, and this one had been lost.
        await using (NpgsqlCommand trim = _database.CreateCommand(
            "UPDATE vectorpipe.shard SET floor = head; DELETE FROM vectorpipe.log"))
        {
            await trim.ExecuteNonQueryAsync();
        }

        await _cluster.StartNodeAsync(1);
        await UntilHereAsync(1, 2 * Elements);
        await _cluster.StopNodeAsync(0);
        await UntilReadAsync(1, 2 * Elements);
    }

    [Test]
    [Category("Heavy")]
    public async Task A_database_that_was_set_back_costs_no_write_that_a_replica_has()
    {
        (long head, long chain) = await StartTrimmedAsync();
        await WriteAsync(0, Elements, 2 * Elements);
        await _cluster.UntilAsync(1, $":{2 * Elements}\r\n", "VCARD", "s");
        await SetBackAsync(head, chain);
        await Polling.UntilAsync(async () => (await ReadHeadAsync()).Head == 2 * Elements, "the log goes on behind the replicas");
        await WriteAsync(1, 2 * Elements, 3 * Elements);
        await UntilReadAsync(0, 3 * Elements);
        await UntilReadAsync(1, 3 * Elements);
    }

    [Test]
    [Category("Heavy")]
    public async Task A_database_that_was_set_back_while_no_node_ran_goes_on_behind_the_replica_that_has_most()
    {
        (long head, long chain) = await StartTrimmedAsync();
        await WriteAsync(0, Elements, 2 * Elements);
        await _cluster.UntilAsync(1, $":{2 * Elements}\r\n", "VCARD", "s");
        await _cluster.StopNodeAsync(1);
        await WriteAsync(0, 2 * Elements, 3 * Elements);
        await _cluster.StopNodeAsync(0);
        await SetBackAsync(head, chain);
        await _cluster.StartNodeAsync(1);
        await _cluster.StartNodeAsync(0);
        await UntilReadAsync(0, 3 * Elements);
        await UntilReadAsync(1, 3 * Elements);
        await WriteAsync(1, 3 * Elements, 4 * Elements);
        await UntilReadAsync(0, 4 * Elements);
        await UntilHereAsync(1, 4 * Elements);
        await _cluster.StopNodeAsync(0);
        await UntilReadAsync(1, 4 * Elements);
    }

    [Test]
    [Category("Heavy")]
    public async Task A_cluster_goes_on_from_an_older_database_and_the_folder_of_one_node_when_the_other_is_given_up()
    {
        (long head, long chain) = await StartTrimmedAsync();
        await WriteAsync(0, Elements, 2 * Elements);
        await UntilHereAsync(1, 2 * Elements);
        await _cluster.StopNodeAsync(0);
        await _cluster.StopNodeAsync(1);
        await SetBackAsync(head, chain);
        await _cluster.StartNodeAsync(1);
        Assert.That(await _cluster.CallAsync(1, "VCARD", "s"), Does.StartWith("-CLUSTERDOWN"), "the other one may have more");
        Assert.That(await _cluster.CallAsync(1, "XNODE", "LOST", "n1"), Does.StartWith("-ERR XNODE: expected a node that is stopped"));

        // The older database says of the other one that it is alive, until its lease has run out.
        await _cluster.UntilAsync(1, "+OK\r\n", "XNODE", "LOST", "n0");
        await UntilReadAsync(1, 2 * Elements);
        await WriteAsync(1, 2 * Elements, 3 * Elements);
        await UntilReadAsync(1, 3 * Elements);

        // It comes back as a new one.
        await _cluster.StartNodeAsync(0);
        await UntilHereAsync(0, 3 * Elements);
    }

    [Test]
    [Category("Heavy")]
    public async Task A_replica_that_has_applied_what_the_log_never_had_becomes_a_copy_of_another()
    {
        (long head, long chain) = await StartTrimmedAsync();
        await _cluster.StopNodeAsync(1);

        // Written while only the other node was there, lost with the database, and something else was written then.
        await WriteAsync(0, Elements, 2 * Elements);
        await _cluster.StopNodeAsync(0);
        await SetBackAsync(head, chain);
        await _cluster.StartNodeAsync(1);
        await WriteAsync(1, 2 * Elements, 4 * Elements);
        await _cluster.StartNodeAsync(0);
        for (int node = 0; node < 2; node++)
        {
            await _cluster.UntilAsync(node, $":{3 * Elements}\r\n", "VCARD", "s");
            Assert.That(await _cluster.CallAsync(node, "VISMEMBER", "s", $"e{Elements}"), Is.EqualTo(":0\r\n"), $"node {node}");
        }
    }

    [Test]
    [Category("Heavy")]
    public async Task A_replica_that_is_replaced_while_all_are_compared_is_not_waited_for()
    {
        await StartAsync(nodes: 2, shards: 1);
        await FillAsync();
        await _cluster.StopNodeAsync(1);
        Task<string> check = _cluster.CallAsync(0, "XCHECK", "s");
        await Polling.UntilAsync(async () => (await ReadHeadAsync()).Head == Elements + 1, "the log is marked");
        await _cluster.AddNodeAsync();
        Assert.That(await check, Does.Contain("+replicas\r\n:2\r\n+answered\r\n:2\r\n+same\r\n:1\r\n"));
    }

    [Test]
    public async Task Searches_and_writes_go_on_while_replicas_move()
    {
        await StartAsync(nodes: 2, shards: 2);
        await FillAsync();
        await UntilTrimmedAsync();
        using var stop = new CancellationTokenSource();
        int last = Elements;
        using RespClient writer = await _cluster.Nodes[0].ConnectAsync();
        Task writing = Task.Run(async () =>
        {
            for (; !stop.IsCancellationRequested; last++)
            {
                Assert.That(await AddAsync(writer, last), Is.EqualTo(":1\r\n"), $"element {last}");
                Assert.That(await writer.CallAsync("VISMEMBER", "s", $"e{last}"), Is.EqualTo(":1\r\n"), $"element {last}");
                Assert.That(await writer.CallAsync("VSIM", "s", "ELE", "e0", "COUNT", "1"), Does.StartWith("*1\r\n"));
            }
        });
        await _cluster.AddNodeAsync();
        await UntilHoldsAsync(2, shards: 1, of: 2);
        await _cluster.CallAsync(0, "XNODE", "LEAVE", "n1");
        await UntilHoldsAsync(1, shards: 0, of: 2);
        await stop.CancelAsync();
        await writing;
        for (int node = 0; node < 3; node++)
            await UntilReadAsync(node, last);
    }

    [Test]
    public async Task Replicas_that_a_database_does_not_know_are_left_alone()
    {
        await StartAsync(nodes: 1, shards: 1);
        await WriteAsync(0, 0, 2);
        string folder = Path.Combine(_cluster.Nodes[0].Directory, "0000000001");
        await using (NpgsqlCommand back = _database.CreateCommand(
            "DELETE FROM vectorpipe.vector_set; UPDATE vectorpipe.map SET version = version - 1"))
        {
            await back.ExecuteNonQueryAsync();
        }

        await _cluster.UntilAsync(0, ":0\r\n", "VCARD", "s");
        await WriteAsync(0, 0, 1);
        await UntilReadAsync(0, 1);
        Assert.That(folder, Does.Exist);
        await _cluster.CallAsync(0, "DEL", "s");
        await Polling.UntilAsync(() => Task.FromResult(!Directory.Exists(folder[..^1] + "2")), "what was removed goes");
        await _cluster.StopNodeAsync(0);
        await _cluster.StartNodeAsync(0);
        Assert.That(folder, Does.Exist);
    }

    [Test]
    [Category("Heavy")]
    public async Task A_shard_without_elements_comes_back_when_its_log_was_trimmed()
    {
        await StartAsync(nodes: 2, shards: 2);
        await WriteAsync(0, 0, 1);
        await _cluster.CallAsync(0, "VREM", "s", "e0");
        await _cluster.CallAsync(0, "XCHECK", "s");
        await UntilTrimmedAsync();
        for (int node = 0; node < 2; node++)
            await _cluster.StopNodeAsync(node);
        for (int node = 0; node < 2; node++)
            await _cluster.StartNodeAsync(node);
        await WriteAsync(1, 0, Elements);
        await UntilReadAsync(0, Elements);
    }

    [Test]
    public async Task Words_that_are_none_are_refused()
    {
        await StartAsync(nodes: 1, shards: 1);
        await WriteAsync(0, 0, 1);
        Assert.Multiple(async () =>
        {
            Assert.That(await _cluster.CallAsync(0, "XNODE", "GO", "n0"), Does.StartWith("-ERR XNODE: expected LEAVE, STAY,"));
            Assert.That(await _cluster.CallAsync(0, "XNODE", "STAY", "no"), Does.StartWith("-ERR XNODE: expected the name of a node"));
            Assert.That(await _cluster.CallAsync(0, "XNODE", "STAY", "n0"), Is.EqualTo("+OK\r\n"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "BEGIN", "99"), Does.StartWith("-NOTREADY"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "BEGIN", "one"), Does.StartWith("-ERR value is not an integer"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "FILES", "1"), Does.StartWith("-ERR XCOPY: expected a copy that was begun"));
        });
    }

    [Test]
    public async Task A_copy_is_read_by_those_who_may_read_the_set_and_leaves_nothing_behind()
    {
        await StartAsync(nodes: 1, shards: 1);
        await WriteAsync(0, 0, 1);
        string begun = await _cluster.CallAsync(0, "XCOPY", "BEGIN", "1");
        Assert.That(begun, Is.EqualTo(":1\r\n"));
        string files = await _cluster.UntilAsync(0, reply => reply[0] == '*', "XCOPY", "FILES", "1");
        Assert.That(files, Does.Contain("$10\r\nCOLLECTION\r\n"));
        await _cluster.CallAsync(0, "ACL", "SETUSER", "one", "on", "nopass", "~app", "+@all");
        using RespClient other = await _cluster.Nodes[0].ConnectAsync();
        await other.CallAsync("AUTH", "one", "any");
        Assert.Multiple(async () =>
        {
            Assert.That(await other.CallAsync("XCOPY", "BEGIN", "1"), Does.StartWith("-NOPERM"));
            Assert.That(await other.CallAsync("XCOPY", "FILES", "1"), Does.StartWith("-NOPERM"));
            Assert.That(await other.CallAsync("XCOPY", "READ", "1", "0", "0"), Does.StartWith("-NOPERM"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "READ", "1", "0", "0"), Does.StartWith("*2\r\n$"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "READ", "1", "99", "0"), Does.StartWith("-ERR XCOPY READ: expected a file"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "BEGIN", "1"), Is.EqualTo(":2\r\n"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "BEGIN", "1"), Does.StartWith("-BUSY"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "END", "1"), Is.EqualTo("+OK\r\n"));
            Assert.That(await _cluster.CallAsync(0, "XCOPY", "END", "2"), Is.EqualTo("+OK\r\n"));
        });
        Assert.That(Directory.EnumerateFileSystemEntries(Path.Combine(_cluster.Nodes[0].Directory, "copies")), Is.Empty);
    }

    private async Task StartAsync(int nodes, int shards) =>
        _cluster = await RunningCluster.StartAsync(
            nodes, _connection, options => (options.Shards, options.ReplaceAfterSeconds) = (shards, 1));

    // Two nodes with a set of one shard, whose log has been deleted up to its end.
    private async Task<(long Head, long Chain)> StartTrimmedAsync()
    {
        await StartAsync(nodes: 2, shards: 1);
        await FillAsync();
        await UntilTrimmedAsync();
        return await ReadHeadAsync();
    }

    private Task UntilHereAsync(int node, int elements) =>
        _cluster.UntilAsync(node, $":{elements}\r\n", "XSHARD", "1", "0", "2", "VCARD", "s");

    private async Task FillAsync()
    {
        await WriteAsync(0, 0, Elements);
        for (int node = 0; node < _cluster.Nodes.Count; node++)
            await UntilReadAsync(node, Elements);
    }

    private async Task WriteAsync(int node, int first, int end)
    {
        using RespClient client = await _cluster.Nodes[node].ConnectAsync();
        for (int i = first; i < end; i++)
            Assert.That(await AddAsync(client, i), Is.EqualTo(":1\r\n"), $"element {i}");
    }

    private static Task<string> AddAsync(RespClient client, int i)
    {
        string text = i.ToString(CultureInfo.InvariantCulture);
        return client.CallAsync("VADD", "s", "VALUES", "2", "1", text, $"e{text}", "SETATTR", text);
    }

    private Task CheckAsync(int node) => UntilReadAsync(node, Elements);

    private async Task UntilReadAsync(int node, int elements)
    {
        await _cluster.UntilAsync(node, $":{elements}\r\n", "VCARD", "s");
        foreach (int i in new[] { 0, elements / 2, elements - 1 })
        {
            string text = i.ToString(CultureInfo.InvariantCulture);
            await _cluster.UntilAsync(node, $"${text.Length}\r\n{text}\r\n", "VGETATTR", "s", $"e{text}");
        }
    }

    // The log has shrunk to what is not on two disks.
    private Task UntilTrimmedAsync() => Polling.UntilAsync(
        async () =>
        {
            await using NpgsqlCommand read = _database.CreateCommand(
                "SELECT bool_and(floor = head AND head > 0) FROM vectorpipe.shard");
            return await read.ExecuteScalarAsync() is true;
        },
        "the log is trimmed");

    private Task UntilHoldsAsync(int node, int shards, int of) => Polling.UntilAsync(
        async () =>
        {
            await using NpgsqlCommand read = _database.CreateCommand(
                """
                SELECT count(*) FILTER (WHERE name = $1 AND saved IS NOT NULL), count(DISTINCT shard), count(*) FILTER (WHERE saved IS NULL)
                FROM vectorpipe.replica JOIN vectorpipe.node ON node.id = node
                """);
            read.Parameters.Add(new NpgsqlParameter { Value = $"n{node}" });
            await using NpgsqlDataReader row = await read.ExecuteReaderAsync();
            await row.ReadAsync();
            return (row.GetInt64(0), row.GetInt64(1), row.GetInt64(2)) == (shards, of, 0);
        },
        $"node {node} has {shards} replicas");

    private async Task<(long Head, long Chain)> ReadHeadAsync()
    {
        await using NpgsqlCommand read = _database.CreateCommand("SELECT head, chain FROM vectorpipe.shard");
        await using NpgsqlDataReader row = await read.ExecuteReaderAsync();
        await row.ReadAsync();
        return (row.GetInt64(0), row.GetInt64(1));
    }

    private async Task SetBackAsync(long head, long chain)
    {
        await using NpgsqlCommand back = _database.CreateCommand(
            $"DELETE FROM vectorpipe.log WHERE first > {head}; UPDATE vectorpipe.shard SET head = {head}, chain = {chain}");
        await back.ExecuteNonQueryAsync();
    }
}

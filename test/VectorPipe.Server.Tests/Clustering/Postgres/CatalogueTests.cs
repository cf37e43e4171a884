using Npgsql;
using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Members;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Nodes, leases, sets and shards in the database.</summary>
internal sealed class CatalogueTests
{
    private static readonly TimeSpan _lease = TimeSpan.FromMinutes(5);

    private string _connection = null!;
    private ClusterDatabase _database = null!;
    private PostgresCatalogue _catalogue = null!;

    [SetUp]
    public async Task OpenAsync()
    {
        _connection = await PostgresFixture.Server.CreateDatabaseAsync();
        _database = await ClusterDatabase.OpenAsync(_connection, TimeProvider.System, CancellationToken.None);
        _catalogue = new PostgresCatalogue(_database);
    }

    [TearDown]
    public async Task CloseAsync() => await _database.DisposeAsync();

    [Test]
    public async Task Nodes_that_start_at_once_make_the_tables_once()
    {
        string connection = await PostgresFixture.Server.CreateDatabaseAsync();
        ClusterDatabase[] opened = await Task.WhenAll(
            Enumerable.Range(0, 8).Select(_ => ClusterDatabase.OpenAsync(connection, TimeProvider.System, CancellationToken.None)));
        foreach (ClusterDatabase one in opened)
            await one.DisposeAsync();
    }

    [Test]
    public async Task A_database_is_of_one_cluster()
    {
        await using ClusterDatabase again = await ClusterDatabase.OpenAsync(_connection, TimeProvider.System, CancellationToken.None);
        await using ClusterDatabase other = await ClusterDatabase.OpenAsync(
            await PostgresFixture.Server.CreateDatabaseAsync(), TimeProvider.System, CancellationToken.None);

        Assert.That(_database.Cluster, Is.Not.EqualTo(Guid.Empty));
        Assert.That(again.Cluster, Is.EqualTo(_database.Cluster));
        Assert.That(other.Cluster, Is.Not.EqualTo(_database.Cluster));
    }

    [Test]
    public async Task Tables_of_another_version_are_refused()
    {
        await using (NpgsqlCommand change = _database.Source.CreateCommand("UPDATE vectorpipe.layout SET version = 99"))
            await change.ExecuteNonQueryAsync();

        ClusterException? refused = await Assert.ThrowsAsync<ClusterException>(
            () => ClusterDatabase.OpenAsync(_connection, TimeProvider.System, CancellationToken.None));
        Assert.That(refused!.Message, Does.Contain("expected tables of version 4, found 99"));
    }

    [TestCase("Host=/nowhere;Timeout=1")]
    [TestCase("this is none")]
    public async Task A_database_that_is_none_is_a_typed_error(string connection)
    {
        await Assert.ThrowsAsync<ClusterException>(
            () => ClusterDatabase.OpenAsync(connection, TimeProvider.System, CancellationToken.None));
    }

    [Test]
    public async Task A_command_that_never_ends_keeps_nobody()
    {
        var time = new ManualTime();
        await using ClusterDatabase database = await ClusterDatabase.OpenAsync(
            $"{_connection};Timeout=1;Command Timeout=2", time, CancellationToken.None);
        var never = new TaskCompletionSource<int>();
        Task<int> running = database.RunAsync(() => never.Task, CancellationToken.None);
        time.Advance(TimeSpan.FromSeconds(11));
        Assert.That(running.IsCompleted, Is.False, "four commands of three seconds");
        time.Advance(TimeSpan.FromSeconds(2));
        await Assert.ThrowsAsync<TimeoutException>(() => running);
        Assert.That(await database.RunAsync(() => Task.FromResult(1), CancellationToken.None), Is.EqualTo(1));
    }

    [Test]
    public async Task A_node_that_starts_again_ends_its_former_self()
    {
        var node = Guid.NewGuid();
        long first = await _catalogue.JoinAsync(node, "a", "host:1", NodeProtocol.Version, _lease, CancellationToken.None);
        long second = await _catalogue.JoinAsync(node, "a", "host:2", NodeProtocol.Version, _lease, CancellationToken.None);
        LeaseState? ofFirst = await _catalogue.RenewAsync(node, first, _lease, behind: 0, CancellationToken.None);
        LeaseState? ofSecond = await _catalogue.RenewAsync(node, second, _lease, behind: 0, CancellationToken.None);
        ClusterMap map = await _catalogue.ReadAsync(CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That(second, Is.GreaterThan(first));
            Assert.That(ofFirst, Is.Null);
            Assert.That(ofSecond!.Behind.Keys, Is.EqualTo(new[] { node }));
            Assert.That(map.Nodes.Single(), Is.EqualTo(new ClusterNode(node, "a", "host:2")));
        });
    }

    [Test]
    public async Task A_node_of_another_protocol_is_refused_while_one_is_alive()
    {
        var node = Guid.NewGuid();
        var other = Guid.NewGuid();
        long epoch = await _catalogue.JoinAsync(node, "a", "host:1", protocol: 7, _lease, CancellationToken.None);
        NodeProtocolException? refused = await Assert.ThrowsAsync<NodeProtocolException>(
            () => _catalogue.JoinAsync(other, "b", "host:2", protocol: 8, _lease, CancellationToken.None));
        Assert.That(refused!.Message, Does.Contain("expected nodes of protocol 8").And.Contains("found node a alive with protocol 7"));
        Assert.That((refused.Own, refused.Found), Is.EqualTo((8, 7)));

        // All of the former protocol are stopped: then the other one may begin, and a node that comes back late may not.
        await _catalogue.RenewAsync(node, epoch, TimeSpan.Zero, behind: 0, CancellationToken.None);
        long otherEpoch = await _catalogue.JoinAsync(other, "b", "host:2", protocol: 8, _lease, CancellationToken.None);
        refused = await Assert.ThrowsAsync<NodeProtocolException>(
            () => _catalogue.RenewAsync(node, epoch, _lease, behind: 0, CancellationToken.None));
        Assert.That((refused!.Own, refused.Found), Is.EqualTo((7, 8)));
        LeaseState? state = await _catalogue.RenewAsync(other, otherEpoch, _lease, behind: 0, CancellationToken.None);
        Assert.That(state!.Behind.Keys, Is.EqualTo(new[] { other }), "one that is refused changes nothing");
    }

    [Test]
    public async Task A_node_of_another_protocol_may_start_again_as_one_of_this()
    {
        var node = Guid.NewGuid();
        await _catalogue.JoinAsync(node, "a", "host:1", protocol: 7, _lease, CancellationToken.None);
        long epoch = await _catalogue.JoinAsync(node, "a", "host:1", protocol: 8, _lease, CancellationToken.None);

        Assert.That(epoch, Is.EqualTo(2));
    }

    [Test]
    public async Task A_node_says_how_many_replicas_it_does_not_answer_for()
    {
        Guid[] nodes = await JoinAsync(2);
        await _catalogue.CreateSetAsync("s", default, 2, [nodes], CancellationToken.None);
        await _catalogue.JoinAsync(nodes[0], "node0", "host:0", NodeProtocol.Version, _lease, CancellationToken.None);
        ClusterMap started = await _catalogue.ReadAsync(CancellationToken.None);
        LeaseState? state = await _catalogue.RenewAsync(nodes[1], 1, _lease, behind: 3, CancellationToken.None);
        ClusterMap map = await _catalogue.ReadAsync(CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That(started.FindNode(nodes[0])!.Behind, Is.EqualTo(1), "all of them, until it has said something else");
            Assert.That((state!.Behind[nodes[0]], state.Behind[nodes[1]]), Is.EqualTo((1, 3)));
            Assert.That(map.FindNode(nodes[1])!.Behind, Is.EqualTo(3));
        });
    }

    [Test]
    public async Task A_name_belongs_to_one_node()
    {
        await _catalogue.JoinAsync(Guid.NewGuid(), "a", "host:1", NodeProtocol.Version, _lease, CancellationToken.None);

        ClusterException? refused = await Assert.ThrowsAsync<ClusterException>(
            () => _catalogue.JoinAsync(Guid.NewGuid(), "a", "host:2", NodeProtocol.Version, _lease, CancellationToken.None));
        Assert.That(refused!.Message, Does.Contain("expected a name that no other node has, found a"));
    }

    [Test]
    public async Task A_lease_of_no_time_ends_at_once()
    {
        var node = Guid.NewGuid();
        long epoch = await _catalogue.JoinAsync(node, "a", "host:1", NodeProtocol.Version, _lease, CancellationToken.None);
        LeaseState? state = await _catalogue.RenewAsync(node, epoch, TimeSpan.Zero, behind: 0, CancellationToken.None);

        Assert.That(state!.Behind.Keys, Is.Empty);
    }

    [Test]
    public async Task A_set_has_its_shards_on_the_nodes_that_were_chosen()
    {
        Guid[] nodes = await JoinAsync(3);
        string name = "\u00e9\u0001set";
        bool isMade = await _catalogue.CreateSetAsync(
            name, new byte[] { 1, 2 }, 2, [[nodes[0], nodes[1]], [nodes[1], nodes[2]], [nodes[2]]], CancellationToken.None);
        bool isMadeAgain = await _catalogue.CreateSetAsync(name, new byte[] { 3 }, 2, [[nodes[0]]], CancellationToken.None);
        ClusterMap map = await _catalogue.ReadAsync(CancellationToken.None);
        ClusterSet set = map.FindSet(name)!;

        Assert.Multiple(() =>
        {
            Assert.That((isMade, isMadeAgain), Is.EqualTo((true, false)));
            Assert.That(set.Settings.ToArray(), Is.EqualTo(new byte[] { 1, 2 }));
            Assert.That(set.Shards[0].FirstHash, Is.Zero);
            Assert.That(set.Shards[^1].LastHash, Is.EqualTo(ClusterSet.Hashes - 1));
            Assert.That(set.Shards[1].FirstHash, Is.EqualTo(set.Shards[0].LastHash + 1));
            Assert.That(set.Shards[1].Nodes, Is.EquivalentTo(new[] { nodes[1], nodes[2] }));
            Assert.That(map.ShardsOf(nodes[1]).Select(one => one.Shard.Id), Is.EqualTo(set.Shards.Take(2).Select(shard => shard.Id)));
        });
    }

    [Test]
    public async Task Changes_of_sets_and_nodes_raise_the_version_of_the_map_and_renewals_do_not()
    {
        Guid[] nodes = await JoinAsync(1);
        long before = (await _catalogue.ReadAsync(CancellationToken.None)).Version;
        await _catalogue.RenewAsync(nodes[0], 1, _lease, behind: 0, CancellationToken.None);
        long renewed = (await _catalogue.ReadAsync(CancellationToken.None)).Version;
        await _catalogue.CreateSetAsync("a", default, 1, [[nodes[0]]], CancellationToken.None);
        ClusterMap made = await _catalogue.ReadAsync(CancellationToken.None);
        await _catalogue.CreateSetAsync("a", default, 1, [[nodes[0]]], CancellationToken.None);
        long refused = (await _catalogue.ReadAsync(CancellationToken.None)).Version;
        bool isRemoved = await _catalogue.RemoveSetAsync(made.FindSet("a")!.Id, CancellationToken.None);
        bool isRemovedAgain = await _catalogue.RemoveSetAsync(made.FindSet("a")!.Id, CancellationToken.None);
        IReadOnlySet<long> removals = await _catalogue.ReadRemovalsAsync(nodes[0], CancellationToken.None);
        ClusterMap after = await _catalogue.ReadAsync(CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That(renewed, Is.EqualTo(before));
            Assert.That(made.Version, Is.GreaterThan(before));
            Assert.That(refused, Is.EqualTo(made.Version));
            Assert.That((isRemoved, isRemovedAgain), Is.EqualTo((true, false)));
            Assert.That(after.Version, Is.GreaterThan(made.Version));
            Assert.That(removals, Is.EqualTo(made.FindSet("a")!.Shards.Select(shard => shard.Id)));
            Assert.That(after.FindSet("a"), Is.Null);
        });
    }

    [Test]
    public async Task A_replica_that_has_joined_takes_the_place_of_another()
    {
        Guid[] nodes = await JoinAsync(3);
        await _catalogue.CreateSetAsync("a", default, 2, [[nodes[0], nodes[1]]], CancellationToken.None);
        ClusterMap before = await _catalogue.ReadAsync(CancellationToken.None);
        long shard = before.Sets[0].Shards[0].Id;
        var move = new ReplicaMove(shard, nodes[2], nodes[0]);
        long? stale = await _catalogue.AddReplicaAsync(before.Version - 1, move, CancellationToken.None);
        long? gone = await _catalogue.AddReplicaAsync(before.Version, move with { Shard = -1 }, CancellationToken.None);
        long? added = await _catalogue.AddReplicaAsync(before.Version, move, CancellationToken.None);
        ClusterMap joining = await _catalogue.ReadAsync(CancellationToken.None);
        await _catalogue.ReportAsync(nodes[2], new Dictionary<long, long> { [shard] = 5 }, CancellationToken.None);
        ClusterMap reported = await _catalogue.ReadAsync(CancellationToken.None);
        bool isFinished = await _catalogue.FinishReplicaAsync(shard, nodes[2], 7, CancellationToken.None);
        bool isFinishedAgain = await _catalogue.FinishReplicaAsync(shard, nodes[2], 7, CancellationToken.None);
        ClusterMap after = await _catalogue.ReadAsync(CancellationToken.None);
        IReadOnlySet<long> removals = await _catalogue.ReadRemovalsAsync(nodes[0], CancellationToken.None);
        await _catalogue.FinishRemovalsAsync(nodes[0], [shard], CancellationToken.None);
        IReadOnlySet<long> kept = await _catalogue.ReadRemovalsAsync(nodes[0], CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That((stale, gone, isFinished, isFinishedAgain), Is.EqualTo(((long?)null, (long?)null, true, false)));
            Assert.That(joining.Version, Is.EqualTo(added).And.GreaterThan(before.Version));
            Assert.That(joining.Sets[0].Shards[0].Nodes, Is.EquivalentTo(nodes[..2]));
            Assert.That(
                joining.Sets[0].Shards[0].Replicas, Does.Contain(new ShardReplica(nodes[2], IsJoining: true, Replaces: nodes[0])));
            Assert.That(reported.Sets[0].Shards[0].Nodes, Is.EquivalentTo(nodes[..2]), "a report is none of having joined");
            Assert.That(after.Version, Is.GreaterThan(joining.Version));
            Assert.That(removals, Is.EqualTo(new[] { shard }));
            Assert.That(kept, Is.Empty);
            Assert.That(after.Sets[0].Shards[0].Nodes, Is.EquivalentTo(nodes[1..]));
        });
    }

    [Test]
    public async Task A_replica_that_is_ordered_takes_the_place_of_one_that_has_not_joined()
    {
        Guid[] nodes = await JoinAsync(4);
        await _catalogue.CreateSetAsync("a", default, 2, [[nodes[0], nodes[1]]], CancellationToken.None);
        ClusterMap before = await _catalogue.ReadAsync(CancellationToken.None);
        long shard = before.Sets[0].Shards[0].Id;
        long? version = await _catalogue.AddReplicaAsync(
            before.Version, new ReplicaMove(shard, nodes[2], nodes[0]), CancellationToken.None);
        await _catalogue.AddReplicaAsync(version!.Value, new ReplicaMove(shard, nodes[3], null), CancellationToken.None);
        ClusterMap after = await _catalogue.ReadAsync(CancellationToken.None);
        await _catalogue.GiveUpReplicaAsync(shard, nodes[0], CancellationToken.None);
        await _catalogue.GiveUpReplicaAsync(shard, nodes[3], CancellationToken.None);
        ClusterMap given = await _catalogue.ReadAsync(CancellationToken.None);

        Assert.That(
            after.Sets[0].Shards[0].Replicas,
            Is.EquivalentTo(new ShardReplica[] { new(nodes[0]), new(nodes[1]), new(nodes[3], IsJoining: true) }));
        Assert.That(given.Sets[0].Shards[0].Replicas, Is.EquivalentTo(new ShardReplica[] { new(nodes[0]), new(nodes[1]) }));
        Assert.That(await _catalogue.ReadRemovalsAsync(nodes[3], CancellationToken.None), Is.EqualTo(new[] { shard }));
    }

    [Test]
    public async Task Numbers_of_shards_that_nodes_know_are_not_given_again()
    {
        Guid[] nodes = await JoinAsync(1);
        await _catalogue.SkipShardsAsync(1, CancellationToken.None);
        await _catalogue.CreateSetAsync("a", default, 1, [[nodes[0]]], CancellationToken.None);
        await _catalogue.SkipShardsAsync(7, CancellationToken.None);
        await _catalogue.SkipShardsAsync(3, CancellationToken.None);
        await _catalogue.CreateSetAsync("b", default, 1, [[nodes[0]]], CancellationToken.None);
        ClusterMap map = await _catalogue.ReadAsync(CancellationToken.None);

        Assert.That(map.FindSet("b")!.Shards[0].Id, Is.EqualTo(8));
        Assert.That(map.FindSet("a")!.Shards[0].Id, Is.InRange(1, 2));
    }

    [Test]
    public async Task Shards_with_several_replicas_are_compared_one_after_another()
    {
        Guid[] nodes = await JoinAsync(2);
        await _catalogue.CreateSetAsync("a", default, 2, [[nodes[0], nodes[1]], [nodes[0]], [nodes[1], nodes[0]]], CancellationToken.None);
        long[] shards = [.. (await _catalogue.ReadAsync(CancellationToken.None)).Sets[0].Shards.Select(shard => shard.Id)];
        var taken = new List<long?>();
        for (int i = 0; i < 2; i++)
            taken.Add(await _catalogue.TakeUncomparedAsync(TimeSpan.FromTicks(-1), CancellationToken.None));
        long? none = await _catalogue.TakeUncomparedAsync(TimeSpan.FromDays(1), CancellationToken.None);

        Assert.That(taken, Is.EquivalentTo(new long?[] { shards[0], shards[2] }));
        Assert.That(none, Is.Null);
    }

    [Test]
    public async Task A_node_is_forgotten_when_it_is_stopped_and_holds_nothing()
    {
        Guid[] nodes = await JoinAsync(2);
        await _catalogue.CreateSetAsync("a", default, 1, [[nodes[0]]], CancellationToken.None);
        ClusterException? alive = await Assert.ThrowsAsync<ClusterException>(
            () => _catalogue.ForgetNodeAsync("node1", isLost: false, CancellationToken.None));
        foreach (Guid node in nodes)
            await _catalogue.RenewAsync(node, 1, TimeSpan.Zero, behind: 0, CancellationToken.None);
        ClusterException? full = await Assert.ThrowsAsync<ClusterException>(
            () => _catalogue.ForgetNodeAsync("node0", isLost: false, CancellationToken.None));
        bool isForgotten = await _catalogue.ForgetNodeAsync("node1", isLost: false, CancellationToken.None);
        bool isForgottenAgain = await _catalogue.ForgetNodeAsync("node1", isLost: false, CancellationToken.None);
        bool isLeaving = await _catalogue.SetLeavingAsync("node0", isLeaving: true, CancellationToken.None);
        bool isNone = await _catalogue.SetLeavingAsync("node1", isLeaving: true, CancellationToken.None);
        ClusterNode left = (await _catalogue.ReadAsync(CancellationToken.None)).Nodes.Single();
        bool isLost = await _catalogue.ForgetNodeAsync("node0", isLost: true, CancellationToken.None);
        ClusterMap empty = await _catalogue.ReadAsync(CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That(alive!.Message, Does.Contain("found node1 alive"));
            Assert.That(full!.Message, Does.Contain("expected a node without replicas"));
            Assert.That((isForgotten, isForgottenAgain, isLeaving, isNone), Is.EqualTo((true, false, true, false)));
            Assert.That((left.Name, left.IsLeaving, left.IsAlive), Is.EqualTo(("node0", true, false)));
            Assert.That(left.Away, Is.GreaterThan(TimeSpan.Zero));
            Assert.That(isLost);
            Assert.That(empty.Nodes, Is.Empty);
            Assert.That(empty.Sets.Single().Shards.Single().Replicas, Is.Empty);
        });
    }

    private async Task<Guid[]> JoinAsync(int count)
    {
        Guid[] nodes = [.. Enumerable.Range(0, count).Select(_ => Guid.NewGuid())];
        for (int i = 0; i < count; i++)
            await _catalogue.JoinAsync(nodes[i], $"node{i}", $"host:{i}", NodeProtocol.Version, _lease, CancellationToken.None);
        return nodes;
    }
}

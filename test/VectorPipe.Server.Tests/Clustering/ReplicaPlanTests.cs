using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Which replicas are made as nodes come, leave and are lost.</summary>
internal sealed class ReplicaPlanTests
{
    private static readonly TimeSpan _lost = TimeSpan.FromMinutes(5);

    [Test]
    public void A_cluster_that_is_whole_and_even_is_left_alone()
    {
        ClusterMap map = MapOf(3, [[0, 1], [1, 2], [2, 0]]);

        Assert.That(ReplicaPlan.Of(map, _lost), Is.Empty);
    }

    [Test]
    public void A_node_that_is_away_for_a_while_is_waited_for()
    {
        ClusterMap map = MapOf(3, [[0, 1], [1, 2], [2, 0]], Away(1, _lost / 2));

        Assert.That(ReplicaPlan.Of(map, _lost), Is.Empty);
    }

    [Test]
    public void Replicas_of_a_lost_node_are_made_on_others()
    {
        ClusterMap map = MapOf(3, [[0, 1], [1, 2], [2, 0]], Away(1, _lost));

        Assert.That(ReplicaPlan.Of(map, _lost), Is.EqualTo(new[] { Move(0, 2, 1), Move(1, 0, 1) }));
    }

    [Test]
    public void Without_another_node_a_lost_one_is_not_replaced()
    {
        ClusterMap map = MapOf(2, [[0, 1]], Away(1, _lost));

        Assert.That(ReplicaPlan.Of(map, _lost), Is.Empty);
    }

    [Test]
    public void A_replica_that_nobody_can_give_is_not_ordered_and_one_whose_log_is_whole_is()
    {
        ClusterMap both = MapOf(3, [[0, 1]], Away(0, _lost), Away(1, _lost));
        ClusterMap only = MapOf(3, [[0]], Away(0, _lost));

        Assert.Multiple(() =>
        {
            Assert.That(ReplicaPlan.Of(Trimmed(only), _lost), Is.Empty);
            Assert.That(ReplicaPlan.Of(Trimmed(both), _lost), Is.Empty);
            Assert.That(ReplicaPlan.Of(only, _lost), Has.Count.EqualTo(1));
        });
    }

    [Test]
    public void A_set_that_was_made_on_too_few_nodes_gets_more()
    {
        ClusterMap map = MapOf(2, [[0]]);

        Assert.That(ReplicaPlan.Of(map, _lost), Is.EqualTo(new[] { Move(0, 1, null) }));
    }

    [Test]
    public void A_replica_that_joins_on_a_lost_node_is_ordered_elsewhere()
    {
        ClusterMap map = MapOf(4, [[0, 1]], Away(0, _lost), Away(2, _lost));
        ClusterShard shard = map.Sets[0].Shards[0];
        var joining = new ClusterShard(
            shard.Id, shard.FirstHash, shard.LastHash,
            [.. shard.Replicas, new ShardReplica(IdOf(2), IsJoining: true, Replaces: IdOf(0))]);
        map = new ClusterMap(1, map.Nodes, [map.Sets[0] with { Shards = [joining] }]);

        Assert.That(ReplicaPlan.Of(map, _lost), Is.EqualTo(new[] { Move(0, 3, 0) }));
    }

    [TestCase(3, 4, 12)]
    [TestCase(2, 5, 40)]
    [TestCase(5, 6, 7)]
    [TestCase(1, 3, 10)]
    public void A_node_that_comes_gets_its_share_and_nothing_else_moves(int before, int after, int shards)
    {
        int replicas = Math.Min(2, before);
        var random = new Random(shards);
        ClusterMap map = MapOf(
            after, [.. Enumerable.Range(0, shards).Select(_ => Draw(random, before, replicas))], replicas: replicas);
        (ClusterMap even, int moves) = Run(map);
        int[] loads = LoadsOf(even);

        Assert.Multiple(() =>
        {
            Assert.That(loads.Max() - loads.Min(), Is.LessThanOrEqualTo(1));

            // What was uneven before is made even, too.
            int uneven = LoadsOf(map)[..before].Sum(load => Math.Max(0, load - ((shards * replicas + before - 1) / before)));
            Assert.That(moves, Is.LessThanOrEqualTo((after - before) * ((shards * replicas / after) + 1) + uneven));
            Assert.That(even.Sets[0].Shards.Select(shard => shard.Nodes.Distinct().Count()), Is.All.EqualTo(replicas));
        });
    }

    [Test]
    public void A_node_that_leaves_ends_with_nothing()
    {
        ClusterMap map = MapOf(4, [.. Enumerable.Range(0, 12).Select(i => new[] { i % 4, (i + 1) % 4 })]);
        map = new ClusterMap(
            1, [.. map.Nodes.Select(node => node with { IsLeaving = node.Id == IdOf(2) })], map.Sets);
        (ClusterMap after, _) = Run(map);
        int[] loads = LoadsOf(after);

        Assert.That(loads, Is.EquivalentTo(new[] { 0, 8, 8, 8 }));
    }

    [Test]
    public void Any_cluster_comes_to_rest_whole([Range(1, 20)] int seed)
    {
        var random = new Random(seed);
        int nodes = random.Next(3, 8);
        int replicas = random.Next(1, 4);
        ClusterMap map = MapOf(
            nodes, [.. Enumerable.Range(0, random.Next(1, 20)).Select(_ => Draw(random, nodes, random.Next(1, replicas + 1)))],
            replicas: replicas);
        map = new ClusterMap(
            1, [.. map.Nodes.Select((node, i) => node with { IsLeaving = i == 0, Away = i == 1 ? _lost : default })], map.Sets);
        (ClusterMap after, _) = Run(map);
        int staying = nodes - 2;
        foreach (ClusterShard shard in after.Sets[0].Shards)
        {
            // A shard whose only nodes were the lost one and others that nobody can copy stays as it is.
            int left = shard.Nodes.Count(node => node != IdOf(0) && node != IdOf(1));
            Assert.That(left, Is.EqualTo(Math.Min(replicas, staying)), $"shard {shard.Id}: {string.Join(' ', shard.Nodes)}");
        }
    }

    // Until nothing is left to do; each replica joins at once.
    private static (ClusterMap Map, int Moves) Run(ClusterMap map)
    {
        const int MostMoves = 1000;
        int moves = 0;
        while (ReplicaPlan.Of(map, _lost) is { Count: > 0 } plan)
        {
            moves += plan.Count;
            Assert.That(moves, Is.LessThan(MostMoves), "it comes to rest");
            foreach (ReplicaMove move in plan)
            {
                ClusterSet set = map.Sets[0];
                ClusterShard[] shards =
                [
                    .. set.Shards.Select(shard => shard.Id != move.Shard ? shard : new ClusterShard(
                        shard.Id, shard.FirstHash, shard.LastHash,
                        [.. shard.Replicas.Where(one => one.Node != move.Replaces), new ShardReplica(move.Node)])),
                ];
                map = new ClusterMap(map.Version + 1, map.Nodes, [set with { Shards = shards }]);
            }
        }

        return (map, moves);
    }

    private static ClusterMap Trimmed(ClusterMap map)
    {
        ClusterShard shard = map.Sets[0].Shards[0];
        shard = new ClusterShard(shard.Id, shard.FirstHash, shard.LastHash, shard.Replicas, isWhole: false);
        return new ClusterMap(map.Version, map.Nodes, [map.Sets[0] with { Shards = [shard] }]);
    }

    private static int[] LoadsOf(ClusterMap map) => [.. map.Nodes.Select(node => map.ShardsOf(node.Id).Count())];

    private static int[] Draw(Random random, int nodes, int count)
    {
        int[] drawn = [.. Enumerable.Range(0, nodes)];
        random.Shuffle(drawn);
        return drawn[..count];
    }

    private static (int Node, TimeSpan Time) Away(int node, TimeSpan time) => (node, time);

    private static ReplicaMove Move(long shard, int node, int? replaces) => new(shard, IdOf(node), replaces is { } one ? IdOf(one) : null);

    private static Guid IdOf(int node) => new(node, 1, 2, new byte[8]);

    private static ClusterMap MapOf(int nodes, int[][] holders, params (int Node, TimeSpan Time)[] away) => MapOf(nodes, holders, 2, away);

    private static ClusterMap MapOf(int nodes, int[][] holders, int replicas, params (int Node, TimeSpan Time)[] away)
    {
        IReadOnlyList<(int First, int Last)> ranges = ClusterSet.RangesOf(holders.Length);
        var set = new ClusterSet(
            1, "s", default, replicas,
            [
                .. holders.Select((held, i) => new ClusterShard(
                    i, ranges[i].First, ranges[i].Last, [.. held.Select(node => new ShardReplica(IdOf(node)))])),
            ]);
        return new ClusterMap(
            1,
            [
                .. Enumerable.Range(0, nodes).Select(node => new ClusterNode(
                    IdOf(node), $"n{node}", $"h:{node}", IsLeaving: false,
                    Away: away.FirstOrDefault(one => one.Node == node).Time)),
            ],
            [set]);
    }
}

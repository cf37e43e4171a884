using System.Diagnostics;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>Which replicas are to be made, as nodes come, leave and are lost.</summary>
internal sealed class ReplicaPlan
{
    // A replica that joins takes the disk and the network of two nodes.
    private const int MostJoining = 2;

    private readonly ClusterMap _map;
    private readonly List<ReplicaMove> _moves = [];
    private readonly HashSet<Guid> _alive;
    private readonly HashSet<Guid> _gone;
    private readonly Dictionary<Guid, int> _loads;
    private int _joining;

    private ReplicaPlan(ClusterMap map, TimeSpan lost)
    {
        _map = map;
        _gone = [.. map.Nodes.Where(node => node.IsLeaving || node.Away >= lost).Select(node => node.Id)];
        _alive = [.. map.Nodes.Where(node => node.IsAlive).Select(node => node.Id)];
        _loads = _alive.Except(_gone).ToDictionary(node => node, node => map.ShardsOf(node).Count());
        foreach ((_, ClusterShard shard) in Shards)
        {
            if (FindJoining(shard) is not { } joining)
                continue;
            _joining++;
            if (joining.Replaces is { } replaced && _loads.TryGetValue(replaced, out int load))
                _loads[replaced] = load - 1;
        }
    }

    private IEnumerable<(ClusterSet Set, ClusterShard Shard)> Shards =>
        from set in _map.Sets from shard in set.Shards select (set, shard);

    /// <summary>Makes a plan.</summary>
    /// <param name="map">What is there.</param>
    /// <param name="lost">A node whose lease ended so long ago is lost.</param>
    /// <returns>A few moves; further ones are planned when they are done.</returns>
    public static IReadOnlyList<ReplicaMove> Of(ClusterMap map, TimeSpan lost)
    {
        var plan = new ReplicaPlan(map, lost);
        plan.Restore();
        if (plan._joining == 0)
            plan.Balance();
        Debug.Assert(plan._moves.DistinctBy(move => move.Shard).Count() == plan._moves.Count, "one replica of a shard joins at a time");
        return plan._moves;
    }

    // A joining replica on a node that is gone will not join: another one takes its place.
    private ShardReplica? FindJoining(ClusterShard shard) =>
        shard.Replicas.FirstOrDefault(replica => replica.IsJoining && !_gone.Contains(replica.Node));

    // Shards with too few replicas on nodes that stay; those with the fewest first. A replica of a node that is gone is replaced even if
    // the others are enough: otherwise the node could not leave.
    private void Restore()
    {
        var wanting =
            from one in Shards
            where FindJoining(one.Shard) is null && HasSource(one.Shard)
            let left = one.Shard.Nodes.Count(node => !_gone.Contains(node))
            where left < one.Set.Replicas || left < one.Shard.Nodes.Count
            orderby one.Shard.Nodes.Count(_alive.Contains), left
            select one;
        foreach ((ClusterSet set, ClusterShard shard) in wanting.ToList())
            TryAdd(set, shard, shard.Nodes.Where(_gone.Contains).Select(node => (Guid?)node).FirstOrDefault());
    }

    // A log that is whole is all that a replica needs.
    private bool HasSource(ClusterShard shard) => shard.IsWhole || shard.Nodes.Any(_alive.Contains);

    // From the node with the most replicas to the one with the fewest, until they are as equal as can be. Only while all are there: a
    // node that is being started again comes back with what it has.
    private void Balance()
    {
        if (_loads.Count < 2 || _map.Nodes.Any(node => !node.IsAlive && !_gone.Contains(node.Id)))
            return;
        while (_joining < MostJoining)
        {
            (Guid giver, int most) = _loads.MaxBy(load => (load.Value, load.Key));
            (Guid taker, int fewest) = _loads.MinBy(load => (load.Value, load.Key));
            if (most - fewest < 2)
                return;
            (ClusterSet Set, ClusterShard Shard)[] candidates =
            [
                .. from one in Shards
                   where one.Shard.Nodes.Contains(giver) && one.Shard.Replicas.All(replica => replica.Node != taker && !replica.IsJoining)
                   where _moves.TrueForAll(move => move.Shard != one.Shard.Id)
                   orderby SharesOf(one.Set, taker), Placement.WeightOf(taker, one.Set.Name, IndexOf(one.Set, one.Shard)) descending
                   select one,
            ];
            if (candidates.Length == 0)
                return;
            Add(candidates[0].Shard, taker, giver);
        }
    }

    private void TryAdd(ClusterSet set, ClusterShard shard, Guid? replaced)
    {
        if (_joining >= MostJoining)
            return;
        Guid[] free =
        [
            .. from node in _loads.Keys
               where shard.Replicas.All(replica => replica.Node != node)
               orderby SharesOf(set, node), _loads[node],
                   Placement.WeightOf(node, set.Name, IndexOf(set, shard)) descending
               select node,
        ];
        if (free.Length > 0)
            Add(shard, free[0], replaced);
    }

    private void Add(ClusterShard shard, Guid node, Guid? replaced)
    {
        _moves.Add(new ReplicaMove(shard.Id, node, replaced));
        _joining++;
        _loads[node]++;
        if (replaced is { } from && _loads.TryGetValue(from, out int load))
            _loads[from] = load - 1;
    }

    // Shards are in the order of their hashes.
    private static int IndexOf(ClusterSet set, ClusterShard shard) => set.Shards.Count(other => other.FirstHash < shard.FirstHash);

    private static int SharesOf(ClusterSet set, Guid node) =>
        set.Shards.Count(shard => shard.Replicas.Any(replica => replica.Node == node));
}

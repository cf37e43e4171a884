using System.Collections.Frozen;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>What the catalogue held at one moment: nodes, sets, and which nodes hold which shards. Immutable.</summary>
internal sealed class ClusterMap(long version, IReadOnlyList<ClusterNode> nodes, IReadOnlyList<ClusterSet> sets)
{
    private readonly FrozenDictionary<string, ClusterSet> _sets = sets.ToFrozenDictionary(set => set.Name, StringComparer.Ordinal);
    private readonly FrozenDictionary<Guid, ClusterNode> _nodes = nodes.ToFrozenDictionary(node => node.Id);

    /// <summary>Another one with every change of sets, shards and nodes, greater as a rule; not with leases.</summary>
    public long Version { get; } = version;

    public IReadOnlyList<ClusterNode> Nodes { get; } = nodes;

    public IReadOnlyList<ClusterSet> Sets { get; } = sets;

    /// <summary>The set of a name; null if there is none.</summary>
    public ClusterSet? FindSet(string name) => _sets.GetValueOrDefault(name);

    /// <summary>The node of a number; null if there is none.</summary>
    public ClusterNode? FindNode(Guid id) => _nodes.GetValueOrDefault(id);

    /// <summary>The shards that a node holds, or is to hold, with their sets.</summary>
    public IEnumerable<(ClusterSet Set, ClusterShard Shard, bool IsJoining)> ShardsOf(Guid node) =>
        from set in Sets
        from shard in set.Shards
        from replica in shard.Replicas
        where replica.Node == node
        select (set, shard, replica.IsJoining);
}

namespace VectorPipe.Cluster.Catalogue;

/// <summary>A part of a set: the elements whose hash is in a range. Immutable.</summary>
/// <param name="id">Its number, which no other shard of the cluster has or had.</param>
/// <param name="firstHash">The least hash of its elements.</param>
/// <param name="lastHash">The greatest.</param>
/// <param name="replicas">The nodes that hold it, or will.</param>
/// <param name="isWhole">Whether nothing of its log has been deleted.</param>
internal sealed class ClusterShard(long id, int firstHash, int lastHash, IReadOnlyList<ShardReplica> replicas, bool isWhole = true)
{
    public long Id => id;

    public int FirstHash => firstHash;

    public int LastHash => lastHash;

    public IReadOnlyList<ShardReplica> Replicas => replicas;

    public bool IsWhole => isWhole;

    /// <summary>The nodes that hold it, and can be asked.</summary>
    public IReadOnlyList<Guid> Nodes { get; } = [.. replicas.Where(replica => !replica.IsJoining).Select(replica => replica.Node)];
}

namespace VectorPipe.Cluster.Catalogue;

/// <summary>A node's part in a shard.</summary>
/// <param name="Node">The node.</param>
/// <param name="IsJoining">Whether it still has to get what the others have; it is not asked, and nothing counts on it.</param>
/// <param name="Replaces">The node whose replica goes when this one has joined; null for none.</param>
internal sealed record ShardReplica(Guid Node, bool IsJoining = false, Guid? Replaces = null);

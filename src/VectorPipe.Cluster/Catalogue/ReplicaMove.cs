namespace VectorPipe.Cluster.Catalogue;

/// <summary>A replica that is to be made.</summary>
/// <param name="Shard">Number of its shard.</param>
/// <param name="Node">The node that makes it.</param>
/// <param name="Replaces">The node whose replica goes then; null for none.</param>
internal sealed record ReplicaMove(long Shard, Guid Node, Guid? Replaces);

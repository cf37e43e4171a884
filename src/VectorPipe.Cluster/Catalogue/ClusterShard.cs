namespace VectorPipe.Cluster.Catalogue;

/// <summary>A part of a set: the elements whose hash is in a range.</summary>
/// <param name="Id">Its number, which no other shard of the cluster has or had.</param>
/// <param name="FirstHash">The least hash of its elements.</param>
/// <param name="LastHash">The greatest.</param>
/// <param name="Nodes">The nodes that hold it.</param>
internal sealed record ClusterShard(long Id, int FirstHash, int LastHash, IReadOnlyList<Guid> Nodes);

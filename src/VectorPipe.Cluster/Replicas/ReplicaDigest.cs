namespace VectorPipe.Cluster.Replicas;

/// <summary>What a replica holds at a position of the log, as a hash: replicas of a shard have the same at the same position.</summary>
/// <param name="Position">The position.</param>
/// <param name="Value">The sum of a hash of each element with its vector, attributes and the position that wrote it.</param>
internal readonly record struct ReplicaDigest(long Position, long Value);

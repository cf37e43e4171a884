namespace VectorPipe.Server.Commands;

/// <summary>How a replica on this node does.</summary>
/// <param name="Name">Name of its set.</param>
/// <param name="Shard">Number of its shard.</param>
/// <param name="MemoryBytes">Bytes of memory that it takes.</param>
/// <param name="IsServing">Whether it answers.</param>
/// <param name="Applied">The position up to which it has applied the log.</param>
/// <param name="Head">The last position of the log that is known.</param>
/// <param name="Failure">Why it has ended; null while it follows.</param>
internal sealed record ReplicaState(
    string Name, long Shard, long MemoryBytes, bool IsServing, long Applied, long Head, string? Failure);

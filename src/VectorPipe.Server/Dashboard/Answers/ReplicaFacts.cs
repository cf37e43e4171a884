namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>A replica on this node.</summary>
/// <param name="Applied">The position up to which it has applied its log.</param>
/// <param name="Head">The last position of the log that is known.</param>
/// <param name="Failure">Why it does not follow; null while it does.</param>
internal sealed record ReplicaFacts(
    string Set, long Shard, long MemoryBytes, bool IsServing, long Applied, long Head, string? Failure);

namespace VectorPipe.Server.Commands;

/// <summary>A shard of a set, and who holds it.</summary>
/// <param name="Set">Name of the set.</param>
/// <param name="Shard">Number of the shard.</param>
/// <param name="Nodes">Names of the nodes that have a replica.</param>
/// <param name="Joining">Names of those that are making one.</param>
internal sealed record ShardState(string Set, long Shard, IReadOnlyList<string> Nodes, IReadOnlyList<string> Joining);

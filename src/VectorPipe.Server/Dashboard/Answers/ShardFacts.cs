namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>A shard, and the nodes that hold it or are to.</summary>
internal sealed record ShardFacts(string Set, long Shard, IReadOnlyList<string> Nodes, IReadOnlyList<string> Joining);

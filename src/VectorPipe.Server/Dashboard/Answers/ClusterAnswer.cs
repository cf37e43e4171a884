namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>The cluster, as this node knows it.</summary>
/// <param name="IsCluster">Whether this server is a node of one.</param>
internal sealed record ClusterAnswer(
    bool IsCluster, IReadOnlyList<NodeFacts> Nodes, IReadOnlyList<ShardFacts> Shards, IReadOnlyList<ReplicaFacts> Replicas);

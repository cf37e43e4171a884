using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>The cluster, as this node knows it.</summary>
/// <param name="IsCluster">Whether this server is a node of one.</param>
internal sealed record ClusterAnswer(
    bool IsCluster, IReadOnlyList<NodeState> Nodes, IReadOnlyList<ShardState> Shards, IReadOnlyList<ReplicaState> Replicas);

using VectorPipe.Server.Access;
using VectorPipe.Server.Dashboard.Answers;

namespace VectorPipe.Server.Dashboard;

/// <summary>Tells the state of the cluster.</summary>
internal static class ClusterReader
{
    /// <summary>Reads it; of sets, those that a user may read.</summary>
    public static ClusterAnswer Read(ServerState server, AccessRights rights)
    {
        if (server.Router is not { } router)
            return new ClusterAnswer(IsCluster: false, [], [], []);
        return new ClusterAnswer(
            IsCluster: true,
            [
                .. router.Nodes.Select(node => new NodeFacts(
                    node.Name, node.Address, node.IsAlive, node.IsSelf, node.IsLeaving, node.Shards, node.Joining)),
            ],
            [
                .. router.Shards.Where(shard => rights.MayUse(shard.Set, isWrite: false))
                    .Select(shard => new ShardFacts(SetNames.ToText(shard.Set), shard.Shard, shard.Nodes, shard.Joining)),
            ],
            [
                .. router.Replicas.Where(replica => rights.MayUse(replica.Name, isWrite: false))
                    .Select(replica => new ReplicaFacts(
                        SetNames.ToText(replica.Name), replica.Shard, replica.MemoryBytes, replica.IsServing, replica.Applied, replica.Head,
                        replica.Failure)),
            ]);
    }
}

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
        bool MayRead(string set) => rights.MayUse(set, isWrite: false);
        return new ClusterAnswer(
            IsCluster: true,
            router.Nodes,
            [.. router.Shards.Where(shard => MayRead(shard.Set)).Select(shard => shard with { Set = SetNames.ToText(shard.Set) })],
            [.. router.Replicas.Where(one => MayRead(one.Name)).Select(one => one with { Name = SetNames.ToText(one.Name) })]);
    }
}

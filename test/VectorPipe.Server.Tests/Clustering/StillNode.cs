using VectorPipe.Cluster.Links;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>A node without a link, which does what a test says.</summary>
internal sealed class StillNode(TimeProvider clock) : IReplicaNode
{
    public NodeHealth Health { get; } = new(clock);

    public int InFlight { get; set; }
}

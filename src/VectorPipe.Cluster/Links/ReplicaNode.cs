namespace VectorPipe.Cluster.Links;

/// <summary>A node at the other end of a link. Thread-safe.</summary>
/// <param name="Link">The link.</param>
/// <param name="Health">Whether it has answered lately.</param>
internal sealed record ReplicaNode(NodeLink Link, NodeHealth Health) : IReplicaNode
{
    public int InFlight => Link.InFlight;
}

namespace VectorPipe.Cluster.Links;

/// <summary>A node that has a replica, as one that passes reads on to it sees it. Thread-safe.</summary>
internal interface IReplicaNode
{
    /// <summary>Whether it has answered lately.</summary>
    NodeHealth Health { get; }

    /// <summary>Calls that it has not replied to, also those that nobody waits for any longer.</summary>
    int InFlight { get; }
}

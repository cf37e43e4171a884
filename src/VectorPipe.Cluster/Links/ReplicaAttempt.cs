namespace VectorPipe.Cluster.Links;

/// <summary>A read at one of the nodes that it was sent to. Belongs to its <see cref="ReplicaCall{TNode}"/>.</summary>
/// <param name="node">The node.</param>
/// <param name="began">When it was sent.</param>
internal sealed class ReplicaAttempt<TNode>(TNode node, long began)
{
    public TNode Node => node;

    /// <summary>The timestamp of its start.</summary>
    public long Began => began;

    /// <summary>Whether another node was asked, too, before this one was waited for as long as one is at most.</summary>
    public bool IsLate { get; set; }

    /// <summary>Whether it is counted as a failure of the node.</summary>
    public bool HasFailed { get; set; }
}

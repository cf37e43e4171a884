using VectorPipe.Cluster.Log;

namespace VectorPipe.Cluster.Replicas;

/// <summary>A replica does not follow its log any more, and must not be asked.</summary>
internal sealed class ReplicaException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>Whether it cannot go on from what it has: the log has lost the next record, or had others before it.</summary>
    public bool IsOffLog => InnerException is LogTrimmedException or LogDivergedException;
}

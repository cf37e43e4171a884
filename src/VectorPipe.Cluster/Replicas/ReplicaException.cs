namespace VectorPipe.Cluster.Replicas;

/// <summary>A replica does not follow its log any more, and must not be asked.</summary>
internal sealed class ReplicaException(string message, Exception? inner = null) : Exception(message, inner);

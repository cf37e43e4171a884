namespace VectorPipe.Cluster.Catalogue;

/// <summary>The database of the cluster cannot be reached, or is not what this node expects.</summary>
internal class ClusterException(string message, Exception? inner = null) : Exception(message, inner);

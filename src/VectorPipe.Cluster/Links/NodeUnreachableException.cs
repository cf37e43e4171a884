namespace VectorPipe.Cluster.Links;

/// <summary>A node could not be asked, or gave no answer. What it was asked for may have been done.</summary>
internal sealed class NodeUnreachableException(string message, Exception? inner = null) : Exception(message, inner);

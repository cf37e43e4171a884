namespace VectorPipe.Cluster.Log;

/// <summary>The records behind a position have been deleted from the log; replicas have them.</summary>
internal sealed class LogTrimmedException(string message) : Exception(message);

namespace VectorPipe.Cluster.Log;

/// <summary>The log could not be reached, and nothing was written.</summary>
internal sealed class LogUnavailableException(string message, Exception? inner = null) : Exception(message, inner);

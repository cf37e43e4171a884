namespace VectorPipe.Cluster.Log;

/// <summary>A batch was sent, and nobody knows whether it was written.</summary>
internal sealed class LogOutcomeUnknownException(string message, Exception? inner = null) : Exception(message, inner);

namespace VectorPipe.Cluster.Log;

/// <summary>The log holds something else than what was written to it, or what a later version wrote.</summary>
internal sealed class LogDamagedException(string message, Exception? inner = null) : Exception(message, inner);

namespace VectorPipe.Cluster.Log;

/// <summary>The log has had other records than a replica has applied, as after its database was set back.</summary>
internal sealed class LogDivergedException(string message) : Exception(message);

namespace VectorPipe.Cluster.Log;

/// <summary>What the log of a shard holds.</summary>
/// <param name="End">The place behind its last batch.</param>
/// <param name="Floor">The position up to which records have been deleted; 0 if none has.</param>
internal readonly record struct LogHead(LogPlace End, long Floor);

namespace VectorPipe.Cluster.Log;

/// <summary>A batch as it lies in the log.</summary>
/// <param name="First">Position of its first record. The first record of a shard has 1, and no position is left out.</param>
/// <param name="Count">Records.</param>
/// <param name="Chain">The chain of the place behind it.</param>
/// <param name="Payload">Their bytes, by <see cref="LogBatchCodec"/>.</param>
internal sealed record LogEntry(long First, int Count, long Chain, ReadOnlyMemory<byte> Payload)
{
    /// <summary>Position of its last record.</summary>
    public long Last => First + Count - 1;
}

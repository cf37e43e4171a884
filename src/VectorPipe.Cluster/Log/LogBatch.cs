namespace VectorPipe.Cluster.Log;

/// <summary>Records that are written at once.</summary>
/// <param name="Writer">Who writes; a process has one of its own.</param>
/// <param name="Sequence">Its number among the batches of its writer and shard: the same batch, sent again, has the same.</param>
/// <param name="Count">Records, 1 or more.</param>
/// <param name="Payload">Their bytes, by <see cref="LogBatchCodec"/>.</param>
/// <param name="SentBehind">A position that the log had before the batch was sent for the first time.</param>
internal sealed record LogBatch(Guid Writer, long Sequence, int Count, ReadOnlyMemory<byte> Payload, long SentBehind);

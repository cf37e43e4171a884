namespace VectorPipe.Cluster.Log;

/// <summary>A record that is in the log.</summary>
/// <param name="Batch">The batch that has it.</param>
/// <param name="Index">Its number in the batch, from 0.</param>
internal readonly record struct WrittenRecord(WrittenBatch Batch, int Index)
{
    /// <summary>Its position.</summary>
    public long Position => Batch.First + Index;
}

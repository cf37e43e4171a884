namespace VectorPipe.Collections.Waiting;

/// <summary>A write that waits in memory.</summary>
/// <param name="Handle">Handle of its key.</param>
/// <param name="Vector">The vector; empty for a deletion.</param>
/// <param name="Body">Key, attributes and payload; empty for a deletion.</param>
internal readonly record struct WaitingRecord(ulong Handle, ReadOnlyMemory<byte> Vector, byte[] Body)
{
    /// <summary>Whether the write deleted the record.</summary>
    public bool IsDeletion => Vector.IsEmpty;
}

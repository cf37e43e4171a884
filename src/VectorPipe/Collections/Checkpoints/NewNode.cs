namespace VectorPipe.Collections.Checkpoints;

/// <summary>A node that a checkpoint adds.</summary>
/// <param name="Handle">Its key in the index.</param>
/// <param name="Vector">Its vector, as it was written.</param>
/// <param name="Neighbours">Internal ids of the nodes near to it, nearest first: its own links.</param>
internal sealed record NewNode(ulong Handle, ReadOnlyMemory<byte> Vector, uint[] Neighbours);

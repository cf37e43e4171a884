namespace VectorPipe.Collections.Checkpoints;

/// <summary>A node that a checkpoint adds.</summary>
/// <param name="Handle">Its key in the index.</param>
/// <param name="Vector">Its vector, as it was written.</param>
/// <param name="Links">Place of its own links, see <see cref="NewNodes.LinksOf"/>.</param>
internal readonly record struct NewNode(ulong Handle, ReadOnlyMemory<byte> Vector, int Links);

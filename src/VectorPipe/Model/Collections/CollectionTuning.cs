namespace VectorPipe.Model.Collections;

/// <summary>Sizes of a collection that a user cannot choose better than the program. Immutable.</summary>
internal sealed record CollectionTuning
{
    /// <summary>Bytes of waiting writes at which a rebuild begins at the latest: they are scored by every search.</summary>
    public long MostWaitingBytes { get; init; } = 64 << 20;

    /// <summary>Bytes of waiting writes below which no rebuild begins by itself.</summary>
    public long LeastWaitingBytes { get; init; } = 8 << 20;

    /// <summary>Blocks of a segment of the log; null for the default.</summary>
    public int? SegmentBlocks { get; init; }
}

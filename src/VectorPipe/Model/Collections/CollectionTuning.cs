namespace VectorPipe.Model.Collections;

/// <summary>Sizes of a collection that a user cannot choose better than the program. Immutable.</summary>
internal sealed record CollectionTuning
{
    /// <summary>Bytes of waiting writes at which a rebuild begins at the latest: they are scored by every search.</summary>
    public long MostWaitingBytes { get; init; } = 64 << 20;

    /// <summary>Waiting writes below which no rebuild begins by itself: a search scores this many in about 0.1 ms.</summary>
    public long LeastWaiting { get; init; } = 10_000;

    /// <summary>Blocks of a segment of the log; null for the default.</summary>
    public int? SegmentBlocks { get; init; }
}

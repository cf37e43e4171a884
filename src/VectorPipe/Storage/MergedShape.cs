using VectorPipe.Numerics;

namespace VectorPipe.Storage;

/// <summary>How a page of the merged layout is divided, and what a page costs in memory.</summary>
/// <param name="Owned">Nodes of a page, at least 1.</param>
/// <param name="Replicas">Vectors of other pages' nodes that a page repeats, 0 or more.</param>
/// <param name="PageSize">Bytes of a page: a multiple of <see cref="PageCodec.PageUnit"/>.</param>
/// <param name="PageGraphBytes">Bytes of a page's links in the page graph, which is held in memory; 0 for none.</param>
/// <param name="Entries">Nodes at which a search enters.</param>
internal sealed record MergedShape(int Owned, int Replicas, int PageSize, int PageGraphBytes, int Entries)
{
    /// <summary>Type of the components in pages, if it is another one than that of the vectors as they were given; else null. Float16 for float32 is the only other one.</summary>
    public VectorElementType? Stored { get; init; }

    /// <summary>Code of the pages' link lists.</summary>
    public GapCode Links { get; init; } = GapCode.Uniform;

    /// <summary>Bytes of the page graph's file: entry points, a block a page, and as many zeros as a reader of the last block may touch.</summary>
    public long StreamLength(long pages) => (long)Entries * sizeof(uint) + pages * PageGraphBytes + EliasFanoCode.Padding;
}

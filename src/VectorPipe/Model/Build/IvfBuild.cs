namespace VectorPipe;

/// <summary>How an IVF index is built. Immutable.</summary>
public sealed record IvfBuild
{
    /// <summary>Lists, about, 1 to the number of vectors. Default: lists of about eight pages, and of at least 128 vectors.</summary>
    /// <remarks>More lists save reads of far vectors and take memory: a centroid of up to four times a vector's size each.</remarks>
    public int? Lists { get; init; }

    /// <summary>Whether searches scan compressed codes on disk and read vectors only for the best of them. Default: false.</summary>
    /// <remarks>Fewer bytes a search for large vectors, more reads for small ones.</remarks>
    public bool Coded { get; init; }

    /// <summary>Bytes of a page: a multiple of 4,096, at most 1,048,576. Default: the least that vectors fill well.</summary>
    public int? PageSize { get; init; }
}

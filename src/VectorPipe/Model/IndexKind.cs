namespace VectorPipe;

/// <summary>How an index finds vectors.</summary>
public enum IndexKind
{
    /// <summary>By walking a graph of near vectors: fewest reads, most build time, codes of all vectors in memory.</summary>
    Graph,

    /// <summary>
    /// By scanning the lists of the nearest centroids: long sequential reads, a build of a fraction of the time, a few bytes a vector in
    /// memory.
    /// </summary>
    Ivf,
}

namespace VectorPipe;

/// <summary>How an index finds vectors.</summary>
public enum IndexKind
{
    /// <summary>A graph of near vectors: fewest reads, longest build, codes of all vectors in memory.</summary>
    Graph,

    /// <summary>Lists around centroids: long sequential reads, a fast build, a few bytes a vector in memory.</summary>
    Ivf,
}

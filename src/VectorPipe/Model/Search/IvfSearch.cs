namespace VectorPipe;

/// <summary>How an index of lists is scanned. Immutable.</summary>
public sealed record IvfSearch
{
    /// <summary>Lists that are scanned at most, 1 or more: the nearest by their centroids. More means higher recall and more bytes read.
    /// Takes the place of a target recall.</summary>
    /// <remarks>A list none of whose vectors can be in the answer, by its centroid, is passed over.</remarks>
    public int? Probes { get; init; }

    /// <summary>Coded lists: the nearest vectors by code, which are read and ranked exactly; at least k, up to 65,536. Default: 64, or 4
    /// k if that is more.</summary>
    public int? Rerank { get; init; }
}

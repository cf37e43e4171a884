namespace VectorPipe;

/// <summary>How an IVF index is searched. Immutable.</summary>
public sealed record IvfSearch
{
    /// <summary>Most lists that a search scans, nearest centroid first, 1 or more; replaces the target recall.</summary>
    /// <remarks>More lists mean higher recall and more bytes read. A list that cannot hold a result, by its centroid, is skipped.</remarks>
    public int? Probes { get; init; }

    /// <summary>Coded lists: vectors, nearest by code, that are read and ranked exactly; at least k, at most 65,536.</summary>
    /// <remarks>Default: the larger of 64 and 4 k.</remarks>
    public int? Rerank { get; init; }
}

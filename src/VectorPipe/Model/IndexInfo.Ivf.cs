namespace VectorPipe;

/// <content>What an index of lists is.</content>
public sealed partial record IndexInfo
{
    /// <summary>How the index finds vectors.</summary>
    public IndexKind Kind { get; init; }

    /// <summary>Lists of an index of lists; else 0.</summary>
    public int Lists { get; init; }

    /// <summary>Whether searches of an index of lists scan compressed codes; they are on disk.</summary>
    public bool CodedLists { get; init; }

    /// <summary>Bytes of the centroids in memory, with the graph over them; 0 for a graph.</summary>
    public long ListMemoryBytes { get; init; }
}

namespace VectorPipe;

/// <summary>How a graph is built. Immutable.</summary>
public sealed record GraphBuild
{
    /// <summary>R: most links of a node, 4 to 512. More links cost disk and build time and save reads. Default: 64.</summary>
    public int MaxDegree { get; init; } = 64;

    /// <summary>Bytes of a page: a multiple of 4,096, at most 1,048,576. Default: the least that holds a node with 55 links.</summary>
    public int? PageSize { get; init; }
}

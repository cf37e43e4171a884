namespace VectorPipe.Building.Partitioned;

/// <summary>A graph and what the way it was built tells about its points.</summary>
/// <param name="Graph">The graph, in the caller's numbers.</param>
/// <param name="LeafOrder">Position to point: near positions hold near points, so that files are best written in this order.</param>
/// <param name="Nearest">Each point's nearest candidates in the caller's numbers, if they were asked for; to be disposed by the owner.</param>
internal sealed record PartitionedGraph(Graph Graph, int[] LeafOrder, NearestLists? Nearest) : IDisposable
{
    /// <summary>Frees the lists of nearest candidates.</summary>
    public void Dispose() => Nearest?.Dispose();
}

using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Layout;

/// <summary>A thread's part in ranking the pages around all nodes, block by block.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class RankWorker : IDisposable
{
    /// <summary>Nodes whose rows are held together.</summary>
    public const int RowsTogether = 128;

    /// <summary>Nodes of a block.</summary>
    public const int BlockNodes = 512;

    private readonly MergedGraph _graph;
    private readonly PageLease _lease;
    private readonly AffinityRanker _ranker;

    /// <param name="graph">What pages are made of.</param>
    public RankWorker(MergedGraph graph)
    {
        _graph = graph;
        _lease = graph.Rent();
        _ranker = new AffinityRanker(graph.Layout.NodesPerPage);
    }

    /// <summary>Where a node's applications go.</summary>
    /// <param name="node">The node's internal id.</param>
    public delegate Span<uint> Destination(int node);

    /// <summary>Blocks of all nodes.</summary>
    public static int BlocksOf(MergedGraph graph) => (graph.Order.Length - 1) / BlockNodes + 1;

    /// <summary>Ranks the pages around the nodes of a block.</summary>
    /// <param name="block">The block.</param>
    /// <param name="destination">Tells where the applications of a node go.</param>
    /// <returns>Nodes of the block.</returns>
    public int Run(int block, Destination destination)
    {
        int first = block * BlockNodes, end = Math.Min(first + BlockNodes, _graph.Order.Length);
        for (int id = first; id < end; id += RowsTogether)
        {
            ReadOnlySpan<int> rows = _graph.Order.AsSpan(id, Math.Min(RowsTogether, end - id));
            _lease.Begin();
            _graph.Nearest.Ask(_lease, rows);
            _graph.Graph.Links.Ask(_lease, rows);
            _lease.Fetch();
            for (int i = 0; i < rows.Length; i++)
                _ranker.Rank(id + i, _graph.Nearest.Of(rows[i]), _graph.Graph.Links.Links(rows[i]), _graph.IdOf, destination(id + i));
        }

        return end - first;
    }

    /// <summary>Returns the lease.</summary>
    public void Dispose() => _lease.Dispose();
}

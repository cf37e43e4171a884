using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Layout;

/// <summary>A thread's part in ranking the pages around all nodes.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class RankWorker : IDisposable
{
    /// <summary>Nodes whose rows are held together.</summary>
    public const int RowsTogether = 128;

    private readonly MergedGraph _graph;
    private readonly PageLease _lease;
    private readonly AffinityRanker _ranker;

    /// <param name="graph">What pages are made of.</param>
    public RankWorker(MergedGraph graph)
    {
        _graph = graph;
        _lease = graph.Rent();
        _ranker = new AffinityRanker(graph.Layout.NodesPerPage);
        Inbound = new ReverseNeighbours(graph.Nearest, graph.IdOf);
    }

    /// <summary>Where a node's applications go.</summary>
    /// <param name="node">The node's internal id.</param>
    public delegate Span<uint> Destination(int node);

    /// <summary>The other ends of the nodes' ties, to be filled before they are ranked.</summary>
    public ReverseNeighbours Inbound { get; }

    /// <summary>Ranks the pages around nodes, to which the ties have been collected.</summary>
    /// <param name="first">An internal id.</param>
    /// <param name="count">Nodes.</param>
    /// <param name="destination">Tells where the applications of a node go.</param>
    /// <param name="cancellationToken">Observed every few hundred nodes.</param>
    public void Run(int first, int count, Destination destination, CancellationToken cancellationToken)
    {
        for (int id = first; id < first + count; id += RowsTogether)
        {
            cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> rows = _graph.RowsFrom(id, Math.Min(RowsTogether, first + count - id));
            _lease.Begin();
            _graph.Nearest.Ask(_lease, rows);
            _graph.Graph.Links.Ask(_lease, rows);
            _lease.Fetch();
            for (int i = 0; i < rows.Length; i++)
            {
                int node = id + i;
                _ranker.Rank(
                    node,
                    _graph.Nearest.Of(rows[i]),
                    _graph.Graph.Links.Links(rows[i]),
                    Inbound.SourcesOf(node),
                    Inbound.RanksOf(node),
                    _graph.IdOf,
                    destination(node));
            }
        }
    }

    /// <summary>Returns the lease.</summary>
    public void Dispose() => _lease.Dispose();
}

using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Layout;

/// <summary>A thread's part in ranking the pages around all nodes.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class RankWorker(MergedGraph graph) : IDisposable
{
    /// <summary>Nodes whose rows are held together.</summary>
    public const int RowsTogether = 128;

    private readonly PageLease _lease = graph.Rent();
    private readonly AffinityRanker _ranker = new(graph.Fill);

    /// <summary>The room for the requests of the node at a position.</summary>
    public delegate Span<uint> Destination(int node);

    /// <summary>Reverse neighbours of the nodes, to be collected before <see cref="Run"/>.</summary>
    public ReverseNeighbours Inbound { get; } = new ReverseNeighbours(graph.Nearest, graph.PositionOf);

    /// <summary>Ranks the pages around nodes first .. first + count - 1.</summary>
    public void Run(int first, int count, Destination destination, CancellationToken cancellationToken)
    {
        for (int id = first; id < first + count; id += RowsTogether)
        {
            cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> rows = graph.RowsFrom(id, Math.Min(RowsTogether, first + count - id));
            _lease.Begin();
            graph.Nearest.Ask(_lease, rows);
            graph.Graph.Links.Ask(_lease, rows);
            _lease.Fetch();
            for (int i = 0; i < rows.Length; i++)
            {
                int node = id + i;
                _ranker.Rank(
                    node, graph.Nearest.Of(rows[i]), graph.Graph.Links.Links(rows[i]), Inbound.SourcesOf(node), Inbound.RanksOf(node),
                    graph.PositionOf, destination(node));
            }
        }
    }

    public void Dispose() => _lease.Dispose();
}

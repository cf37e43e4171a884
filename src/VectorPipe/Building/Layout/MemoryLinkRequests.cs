using VectorPipe.Building.Graphs;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Layout;

/// <summary>Applications to pages in a table in memory, which is gone through for each range of pages.</summary>
/// <remarks>Freed by <see cref="Dispose"/>.</remarks>
internal sealed class MemoryLinkRequests : ILinkRequests
{
    // Ranges follow from the data alone, and few of them make for few passes over the table.
    private const int LeastRanges = 16;
    private const int MinRangePages = 64;

    // Ties are transposed for so many parts of the nodes at a time: memory for one part a thread against a pass over the graph for each.
    private const int LeastParts = 8;

    // What a part or a range comes to lies in arrays, which hold no more than an int counts: a quarter of that on average, since some nodes
    // are known to far more others than most.
    private const long MostTogether = 1L << 29;

    private readonly PageLinkRequests _table;
    private readonly int _pages;
    private readonly int _rangePages;

    private MemoryLinkRequests(PageLinkRequests table, int pages, int nodesPerPage)
    {
        _table = table;
        _pages = pages;
        _rangePages = RangePagesOf(pages, nodesPerPage, table.Length);
    }

    /// <summary>Nodes whose ties are transposed together.</summary>
    /// <param name="count">All nodes.</param>
    /// <param name="tiesOfNode">Ties of a node to others, at most.</param>
    internal static int PartNodesOf(int count, int tiesOfNode) => (int)((count - 1) / PiecesOf((long)count * tiesOfNode, LeastParts)) + 1;

    /// <summary>Pages whose applications are collected together.</summary>
    /// <param name="pages">All pages.</param>
    /// <param name="nodesPerPage">Nodes of a page.</param>
    /// <param name="length">Applications of a node, at most.</param>
    internal static int RangePagesOf(int pages, int nodesPerPage, int length) =>
        Math.Max(MinRangePages, (int)((pages - 1) / PiecesOf((long)pages * nodesPerPage * length, LeastRanges)) + 1);

    /// <summary>Ranks the pages around all nodes.</summary>
    /// <param name="graph">What pages are made of.</param>
    /// <param name="length">Applications of a node, at most.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="onNodes">Told the nodes that are done; may be called by several threads at a time.</param>
    /// <param name="cancellationToken">Observed throughout.</param>
    public static MemoryLinkRequests Of(
        MergedGraph graph, int length, int threads, Action<int> onNodes, CancellationToken cancellationToken)
    {
        int count = graph.Order.Length, part = PartNodesOf(count, graph.Graph.Links.MaxDegree + AffinityRanker.Neighbours);
        var table = new PageLinkRequests(count, length);
        try
        {
            WorkQueue.Run(
                threads,
                (count - 1) / part + 1,
                () => new Worker(graph),
                (worker, i) =>
                {
                    int nodes = Math.Min(part, count - i * part);
                    worker.Run(i * part, nodes, table, cancellationToken);
                    onNodes(nodes);
                },
                cancellationToken);
            return new MemoryLinkRequests(table, graph.PageCount, graph.Layout.NodesPerPage);
        }
        catch
        {
            table.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public int EndOfRange(int firstPage) => (int)Math.Min(_pages, (long)firstPage + _rangePages);

    /// <inheritdoc/>
    public void Collect(LinkRequesters applicants, int firstPage, int endPage, CancellationToken cancellationToken) =>
        applicants.Collect(_table, firstPage, endPage - firstPage, cancellationToken);

    /// <inheritdoc/>
    public void Dispose() => _table.Dispose();

    private static long PiecesOf(long entries, int least) => Math.Max(least, (entries - 1) / MostTogether + 1);

    private sealed class Worker(MergedGraph graph) : IDisposable
    {
        private readonly RankWorker _ranks = new(graph);
        private readonly GraphView _view = graph.Graph.OpenView();

        public void Run(int first, int count, PageLinkRequests table, CancellationToken cancellationToken)
        {
            _ranks.Inbound.Collect(first, count, _view, cancellationToken);
            _ranks.Run(first, count, table.Of, cancellationToken);
        }

        public void Dispose()
        {
            _view.Dispose();
            _ranks.Dispose();
        }
    }
}

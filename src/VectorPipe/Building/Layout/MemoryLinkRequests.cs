using VectorPipe.Building.Work;

namespace VectorPipe.Building.Layout;

/// <summary>Link requests in a table in memory, which is scanned for each range of pages.</summary>
/// <remarks>Freed by <see cref="Dispose"/>.</remarks>
internal sealed class MemoryLinkRequests : ILinkRequests
{
    // Ranges follow from the data alone; few ranges mean few scans.
    private const int LeastRanges = 16;
    private const int MinRangePages = 64;

    // Reverse neighbours are collected for so many parts of the nodes: each part costs a thread its memory and a pass over the graph.
    private const int LeastParts = 8;

    // Each part and range is collected into arrays, indexed by int. Aim at a quarter of int.MaxValue on average: in-degrees are skewed.
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

    /// <summary>Nodes of a part, with at most <paramref name="tiesOfNode"/> neighbours each.</summary>
    internal static int PartNodesOf(int count, int tiesOfNode) => (int)((count - 1) / PiecesOf((long)count * tiesOfNode, LeastParts)) + 1;

    /// <summary>Pages of a range, with at most <paramref name="length"/> requests per node.</summary>
    internal static int RangePagesOf(int pages, int nodesPerPage, int length) =>
        Math.Max(MinRangePages, (int)((pages - 1) / PiecesOf((long)pages * nodesPerPage * length, LeastRanges)) + 1);

    /// <summary>
    /// Ranks the pages around all nodes, with at most <paramref name="length"/> requests each; several threads may report nodes.
    /// </summary>
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
            return new MemoryLinkRequests(table, graph.PageCount, graph.Fill);
        }
        catch
        {
            table.Dispose();
            throw;
        }
    }

    public int EndOfRange(int firstPage) => (int)Math.Min(_pages, (long)firstPage + _rangePages);

    public void Collect(LinkRequesters requesters, int firstPage, int endPage, CancellationToken cancellationToken) =>
        requesters.Collect(_table, firstPage, endPage - firstPage, cancellationToken);

    public void Dispose() => _table.Dispose();

    private static long PiecesOf(long entries, int least) => Math.Max(least, (entries - 1) / MostTogether + 1);

    private sealed class Worker(MergedGraph graph) : IDisposable
    {
        private readonly RankWorker _ranks = new(graph);

        public void Run(int first, int count, PageLinkRequests table, CancellationToken cancellationToken)
        {
            _ranks.Inbound.Collect(first, count, graph.Graph.Links, cancellationToken);
            _ranks.Run(first, count, table.Of, cancellationToken);
        }

        public void Dispose() => _ranks.Dispose();
    }
}

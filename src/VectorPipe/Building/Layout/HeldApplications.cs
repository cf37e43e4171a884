namespace VectorPipe.Building.Layout;

/// <summary>Applications to pages in a table in memory, which is gone through for each range of pages.</summary>
/// <remarks>Freed by <see cref="Dispose"/>.</remarks>
internal sealed class HeldApplications : IPageApplications
{
    // Ranges follow from the data alone, and few of them make for few passes over the table.
    private const int MaxRanges = 16;
    private const int MinRangePages = 64;

    // Ties are transposed for so many parts of the nodes at a time: memory for one part a thread against a pass over the graph for each.
    private const int TransposedParts = 8;

    private readonly PageApplications _table;
    private readonly int _pages;

    private HeldApplications(PageApplications table, int pages)
    {
        _table = table;
        _pages = pages;
    }

    /// <summary>Ranks the pages around all nodes.</summary>
    /// <param name="graph">What pages are made of.</param>
    /// <param name="length">Applications of a node, at most.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="onNodes">Told the nodes that are done; may be called by several threads at a time.</param>
    /// <param name="cancellationToken">Observed throughout.</param>
    public static HeldApplications Of(MergedGraph graph, int length, int threads, Action<int> onNodes, CancellationToken cancellationToken)
    {
        int count = graph.Order.Length, part = (count - 1) / TransposedParts + 1;
        var table = new PageApplications(count, length);
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
            return new HeldApplications(table, graph.PageCount);
        }
        catch
        {
            table.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public int EndOfRange(int firstPage) => Math.Min(_pages, firstPage + Math.Max(MinRangePages, (_pages - 1) / MaxRanges + 1));

    /// <inheritdoc/>
    public void Collect(PageApplicants applicants, int firstPage, int endPage, CancellationToken cancellationToken) =>
        applicants.Collect(_table, firstPage, endPage - firstPage, cancellationToken);

    /// <inheritdoc/>
    public void Dispose() => _table.Dispose();

    private sealed class Worker(MergedGraph graph) : IDisposable
    {
        private readonly RankWorker _ranks = new(graph);
        private readonly GraphView _view = graph.Graph.OpenView();

        public void Run(int first, int count, PageApplications table, CancellationToken cancellationToken)
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

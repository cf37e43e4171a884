namespace VectorPipe.Building.Layout;

/// <summary>Applications to pages in a table in memory, which is gone through for each range of pages.</summary>
/// <remarks>Freed by <see cref="Dispose"/>.</remarks>
internal sealed class HeldApplications : IPageApplications
{
    // Ranges follow from the data alone, and few of them make for few passes over the table.
    private const int MaxRanges = 16;
    private const int MinRangePages = 64;

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
        var table = new PageApplications(graph.Order.Length, length);
        try
        {
            WorkQueue.Run(
                threads,
                RankWorker.BlocksOf(graph),
                () => new RankWorker(graph),
                (worker, block) => onNodes(worker.Run(block, table.Of)),
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
}

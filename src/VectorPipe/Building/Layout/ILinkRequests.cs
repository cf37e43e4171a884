namespace VectorPipe.Building.Layout;

/// <summary>The link requests of all nodes, read page by page.</summary>
/// <remarks>Bound to the thread that first collects.</remarks>
internal interface ILinkRequests : IDisposable
{
    /// <summary>The end of the range of pages from <paramref name="firstPage"/> on that should be collected together.</summary>
    int EndOfRange(int firstPage);

    /// <summary>Collects the requests to pages firstPage .. endPage - 1, a range of <see cref="EndOfRange"/>.</summary>
    void Collect(LinkRequesters requesters, int firstPage, int endPage, CancellationToken cancellationToken);
}

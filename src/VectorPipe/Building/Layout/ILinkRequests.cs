namespace VectorPipe.Building.Layout;

/// <summary>The applications of all nodes to pages, to be gone through page by page.</summary>
/// <remarks>Bound to the thread that first collects.</remarks>
internal interface ILinkRequests : IDisposable
{
    /// <summary>Where a range of pages ends whose applications are best collected together.</summary>
    /// <param name="firstPage">Where it begins: 0, or where another ended.</param>
    /// <returns>The page behind its last.</returns>
    int EndOfRange(int firstPage);

    /// <summary>Collects the applications to a range of pages.</summary>
    /// <param name="applicants">Receives them.</param>
    /// <param name="firstPage">Where the range begins.</param>
    /// <param name="endPage">Where it ends, see <see cref="EndOfRange"/>.</param>
    /// <param name="cancellationToken">Observed throughout.</param>
    void Collect(LinkRequesters applicants, int firstPage, int endPage, CancellationToken cancellationToken);
}

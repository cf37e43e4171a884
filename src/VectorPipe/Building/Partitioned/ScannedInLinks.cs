using VectorPipe.Building.Graphs;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// In-links found by going through all links in memory once a range: without memory of its own, and fast as long as ranges are few.
/// </summary>
internal sealed class ScannedInLinks(LinkTable links) : IInLinkSource
{
    /// <inheritdoc/>
    public void Collect(InLinks inLinks, int first, int count, CancellationToken cancellationToken) =>
        inLinks.Collect(links, first, count, cancellationToken);

    /// <summary>Nothing to free.</summary>
    public void Dispose()
    {
    }
}

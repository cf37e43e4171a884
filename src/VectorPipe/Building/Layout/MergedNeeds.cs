using VectorPipe.Storage;

namespace VectorPipe.Building.Layout;

/// <summary>What a build of the merged layout needs beyond that of the graph.</summary>
/// <param name="Shape">How a page is divided.</param>
/// <param name="ApplicationsOfNode">Applications of a node to pages, at most.</param>
/// <param name="SearchBytes">What searches of the finished index hold: codes, code book and page graph, by which it is calibrated. Bytes.</param>
internal sealed record MergedNeeds(MergedShape Shape, int ApplicationsOfNode, long SearchBytes)
{
    /// <summary>Bytes of a point's nearest points.</summary>
    public const int NearestBytes = AffinityRanker.Neighbours * sizeof(int);

    /// <summary>Bytes of a point's applications to pages, where all are in memory.</summary>
    public int ApplicationBytes => ApplicationsOfNode * sizeof(uint);
}

namespace VectorPipe.Server.Dashboard;

/// <summary>The true nearest elements of a query, and the recall of other hits; those as near as the farthest of them count, too.</summary>
/// <remarks>Whether scores grow or fall with nearness does not matter: the farthest one is told by its score alone.</remarks>
internal sealed class Truth(IReadOnlyList<CollectionHit<string>> hits)
{
    private readonly HashSet<string> _elements = hits.Select(hit => hit.Key).ToHashSet(StringComparer.Ordinal);
    private readonly float? _farthest = hits.Count == 0 ? null : hits[^1].Score;

    public bool Counts(CollectionHit<string> hit) => _elements.Contains(hit.Key) || hit.Score.Equals(_farthest);

    /// <summary>The share of the truth that hits have; 1 if there is nothing to find.</summary>
    public double RecallOf(IReadOnlyList<CollectionHit<string>> hits) =>
        _elements.Count == 0 ? 1 : Math.Min(1, (double)hits.Count(Counts) / _elements.Count);
}

namespace VectorPipe.Server.Commands;

/// <summary>What a search of a set found.</summary>
/// <param name="Hits">Nearest first.</param>
/// <param name="Cost">What it cost; with a filter, what its steps cost together, and why the last one ended.</param>
/// <param name="IsBehindNearest">Whether a filter looked further than at the elements that it looks at first.</param>
internal readonly record struct SimilarityAnswer(
    IReadOnlyList<CollectionHit<string>> Hits, SearchStatistics Cost, bool IsBehindNearest = false);

namespace VectorPipe.Tool.Explaining;

/// <summary>The answer of an index or a collection, and its cost.</summary>
internal sealed record FoundHits(IReadOnlyList<ExplainedHit> Hits, SearchStatistics Statistics);

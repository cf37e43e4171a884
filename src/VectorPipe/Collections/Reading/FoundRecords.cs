namespace VectorPipe.Collections.Reading;

/// <summary>The answer to a search, by handles.</summary>
/// <param name="Hits">The hits, nearest first; the keys are handles.</param>
/// <param name="Sequence">The number up to which writes were visible.</param>
/// <param name="Statistics">The cost of the query.</param>
internal readonly record struct FoundRecords(SearchHit[] Hits, long Sequence, SearchStatistics Statistics);

using VectorPipe.Searching.Pools;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

internal static class ChangedSearches
{
    /// <summary>Searches an index that checkpoints have changed, for hits of their own.</summary>
    public static async Task<SearchResult> SearchAsync(
        this VectorIndex index, byte[] query, int k, SearchOptions? options, Admission admission, GraphChanges? changes, KeptPages? kept,
        CancellationToken cancellationToken)
    {
        var hits = new SearchHit[Math.Min(k, changes?.Live ?? index.Info.Count)];
        SearchStatistics cost = await index.SearchAsync(query, k, options, admission, changes, kept, hits, cancellationToken);
        return new SearchResult(hits[..cost.Hits], cost);
    }
}

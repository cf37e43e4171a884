namespace VectorPipe.Searching.Requests;

/// <summary>The options of a query, checked and filled in. Immutable.</summary>
/// <param name="Asked">Results asked for; more than <paramref name="K"/> if the index holds fewer vectors.</param>
/// <param name="K">Results to find.</param>
/// <param name="Basis">What is known about the recall.</param>
internal abstract record SearchPlan(int Asked, int K, RecallBasis Basis)
{
    /// <summary>Receives the query's events; null for none.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>Why a search that found a number of results ended.</summary>
    /// <param name="hits">Results found.</param>
    /// <param name="matches">Vectors that match the filter; null without one.</param>
    public virtual SearchEnd EndWith(int hits, long? matches = null)
    {
        if (hits >= Asked)
            return SearchEnd.Complete;
        if (hits < Math.Min(K, matches ?? K))
            return SearchEnd.Limit;
        return matches is null ? SearchEnd.AllVectors : SearchEnd.AllMatches;
    }
}

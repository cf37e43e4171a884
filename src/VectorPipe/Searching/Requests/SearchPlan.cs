namespace VectorPipe.Searching.Requests;

/// <summary>How one query is searched: its options, checked and filled in. Immutable.</summary>
/// <param name="Asked">Results asked for; more than <paramref name="K"/> if the index holds fewer vectors.</param>
/// <param name="K">Results to find.</param>
/// <param name="Basis">What is known about the recall.</param>
internal abstract record SearchPlan(int Asked, int K, RecallBasis Basis)
{
    /// <summary>Receives the query's events; null for none.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>Why a search by this plan ended.</summary>
    /// <param name="hits">Results that it found.</param>
    public virtual SearchEnd EndWith(int hits) => hits >= Asked ? SearchEnd.Complete : hits >= K ? SearchEnd.AllVectors : SearchEnd.Limit;
}

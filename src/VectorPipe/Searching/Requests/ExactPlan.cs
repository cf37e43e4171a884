namespace VectorPipe.Searching.Requests;

/// <summary>Compares a query with every vector.</summary>
/// <param name="Asked">Results asked for.</param>
/// <param name="K">Results to find.</param>
internal sealed record ExactPlan(int Asked, int K) : SearchPlan(Asked, K, RecallBasis.Exact)
{
    public override SearchEnd EndWith(int hits, long? matches = null, int hidden = 0) =>
        hits >= Asked ? SearchEnd.Complete
        : IsBounded ? SearchEnd.AllWithin
        : matches is null ? SearchEnd.AllVectors
        : SearchEnd.AllMatches;
}

namespace VectorPipe.Searching.Requests;

/// <summary>The options of a query, checked and filled in. Immutable.</summary>
/// <param name="Asked">Results asked for; more than <paramref name="K"/> if the index holds fewer vectors.</param>
/// <param name="K">Results to find.</param>
/// <param name="Basis">What is known about the recall.</param>
internal abstract record SearchPlan(int Asked, int K, RecallBasis Basis)
{
    /// <summary>Receives the query's events; null for none.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>The distance of the farthest vector that may be a result; infinite for any.</summary>
    public float Bound { get; init; } = float.PositiveInfinity;

    /// <summary>Whether only vectors within a distance may be results.</summary>
    public bool IsBounded => Bound < float.PositiveInfinity;

    /// <summary>Whether its effort follows from a calibration.</summary>
    public bool IsCalibrated => Basis is RecallBasis.Calibrated or RecallBasis.BeyondCalibration;

    /// <summary>The most reads.</summary>
    public int MostReads { get; init; } = int.MaxValue;

    /// <summary>The longest time from acceptance to the answer, in Stopwatch ticks; null for any.</summary>
    public long? DeadlineTicks { get; init; }

    /// <summary>Why a search that found a number of results ended.</summary>
    /// <param name="hits">Results found.</param>
    /// <param name="matches">Vectors that match the filter; null without one.</param>
    /// <param name="hidden">Vectors among them that were met, but are hidden.</param>
    public virtual SearchEnd EndWith(int hits, long? matches = null, int hidden = 0)
    {
        if (hits >= Asked)
            return SearchEnd.Complete;
        if (IsBounded)
            return SearchEnd.AllWithin;
        if (matches is not null)
            return (long)hits + hidden >= matches ? SearchEnd.AllMatches : SearchEnd.Limit;
        return hits >= K ? SearchEnd.AllVectors : SearchEnd.Limit;
    }
}

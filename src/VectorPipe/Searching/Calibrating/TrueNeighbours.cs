namespace VectorPipe.Searching.Calibrating;

/// <summary>Counts the true neighbours of a query among the hits of a search.</summary>
internal static class TrueNeighbours
{
    /// <summary>How many hits count as true neighbours.</summary>
    /// <remarks>
    /// Ties at the end of the answer are as good as what they tie with. Scores alone do not tell: where pages hold rounded vectors, those
    /// of an exact search, which reads the original ones, are others.
    /// </remarks>
    /// <param name="nearest">The true neighbours, nearest first.</param>
    /// <param name="hits">What a search found.</param>
    /// <param name="metric">The metric of the scores.</param>
    public static int Count(ReadOnlySpan<SearchHit> nearest, ReadOnlySpan<SearchHit> hits, DistanceMetric metric)
    {
        int found = 0;
        foreach (SearchHit hit in hits)
            found += (!nearest.IsEmpty && IsAsGood(hit.Score, nearest[^1].Score, metric)) || Holds(nearest, hit.Key) ? 1 : 0;
        return found;
    }

    private static bool Holds(ReadOnlySpan<SearchHit> hits, ulong key)
    {
        foreach (SearchHit hit in hits)
        {
            if (hit.Key == key)
                return true;
        }

        return false;
    }

    private static bool IsAsGood(float score, float last, DistanceMetric metric) =>
        metric == DistanceMetric.L2 ? score <= last : score >= last;
}

using VectorPipe.Measuring.Data;

namespace VectorPipe.Measuring.Searches;

/// <summary>Recall@k: the share of the true k nearest vectors that a search found; ties count as found.</summary>
/// <remarks>
/// A hit counts if its id is among the first k of the truth, or if it is as near as the truth's k-th. Only ids count if the truth's
/// distances are unknown or do not ascend: they are then in another scale than the library's. Immutable; thread-safe.
/// </remarks>
internal sealed class Recall
{
    // Covers sums that were rounded in another order than the truth's.
    private const float RelativeTolerance = 1e-5f;

    // Covers the rounding of 1 - cos for cosines near 1.
    private const float CosineTolerance = 1e-6f;

    private readonly GroundTruth _truth;
    private readonly int _k;
    private readonly DistanceMetric _metric;
    private readonly bool _hasDistances;

    public Recall(GroundTruth truth, string path, int queries, int k, DistanceMetric metric)
    {
        UsageException.Require(truth.Count == queries, "--truth", $"{truth.Count} in '{path}'", $"a row for each of {queries} queries");
        UsageException.Require(truth.K >= k, "--truth", $"{truth.K} in '{path}'", $"at least k ({k}) neighbours a query");
        _truth = truth;
        _k = k;
        _metric = metric;
        _hasDistances = truth.HasDistances && Enumerable.Range(0, queries).All(query => IsAscending(truth.Distances(query)));
    }

    /// <summary>Recall@k over all queries, 0 to 1.</summary>
    /// <param name="hits">Queries x k results.</param>
    /// <param name="statistics">For each query, the number of its results.</param>
    public double Of(ReadOnlySpan<SearchHit> hits, ReadOnlySpan<SearchStatistics> statistics)
    {
        long found = 0;
        for (int query = 0; query < statistics.Length; query++)
            found += CountOf(query, hits.Slice(query * _k, statistics[query].Hits));
        return found / ((double)statistics.Length * _k);
    }

    /// <summary>Whether a hit of a query counts: it is among the true k nearest, or as near as the farthest of them.</summary>
    public bool Counts(int query, SearchHit hit)
    {
        float limit = _hasDistances ? LimitOf(_truth.Distances(query)[_k - 1]) : float.NegativeInfinity;
        return ToDistance(hit.Score) <= limit || (hit.Key <= uint.MaxValue && _truth.Ids(query)[.._k].Contains((uint)hit.Key));
    }

    private int CountOf(int query, ReadOnlySpan<SearchHit> hits)
    {
        int found = 0;
        foreach (SearchHit hit in hits)
            found += Counts(query, hit) ? 1 : 0;
        return found;
    }

    private float LimitOf(float distance) =>
        distance + (RelativeTolerance * MathF.Abs(distance)) + (_metric == DistanceMetric.Cosine ? CosineTolerance : 0f);

    private float ToDistance(float score) => _metric switch
    {
        DistanceMetric.L2 => score,
        DistanceMetric.InnerProduct => -score,
        _ => 1f - score,
    };

    private static bool IsAscending(ReadOnlySpan<float> distances)
    {
        for (int i = 1; i < distances.Length; i++)
        {
            if (!(distances[i] >= distances[i - 1]))
                return false;
        }

        return true;
    }
}

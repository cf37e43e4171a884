using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Filters;

/// <summary>The distances at which the exact answers of all cases end, by comparing every query with every row.</summary>
internal sealed class FilterTruth
{
    private const int BlockRows = 1024;

    // Scores are sums of floats in another order.
    private const double Rounding = 1e-5;

    private readonly DistanceMetric _metric;
    private readonly float[][] _nearest;
    private readonly int[] _counts;
    private readonly int _queries;
    private readonly int _k;

    private FilterTruth(int cases, int queries, int k, DistanceMetric metric)
    {
        _metric = metric;
        _queries = queries;
        _k = k;
        _nearest = new float[cases * queries][];
        _counts = new int[cases * queries];
        for (int i = 0; i < _nearest.Length; i++)
            _nearest[i] = new float[k];
    }

    /// <summary>Compares all queries with all rows.</summary>
    public static FilterTruth Find(
        IReadOnlyList<FilterCase> cases, VectorMatrix vectors, VectorMatrix queries, int k, DistanceMetric metric,
        CancellationToken cancellationToken)
    {
        var truth = new FilterTruth(cases.Count, queries.Count, k, metric);
        int dimension = vectors.Dimension;
        var wide = new float[queries.Count * dimension];
        for (int query = 0; query < queries.Count; query++)
            RowDistances.Widen(queries.ElementType, queries.Row(query), wide.AsSpan(query * dimension, dimension));
        var rows = new float[BlockRows * dimension];
        var norms = new double[BlockRows];
        var distances = new float[BlockRows];
        for (int first = 0; first < vectors.Count; first += BlockRows)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int count = Math.Min(BlockRows, vectors.Count - first);
            for (int i = 0; i < count; i++)
            {
                Span<float> row = rows.AsSpan(i * dimension, dimension);
                RowDistances.Widen(vectors.ElementType, vectors.Row(first + i), row);
                norms[i] = metric == DistanceMetric.Cosine ? RowDistances.Norm(row) : 0;
            }

            for (int query = 0; query < queries.Count; query++)
            {
                ReadOnlySpan<float> vector = wide.AsSpan(query * dimension, dimension);
                Span<float> some = distances.AsSpan(0, count);
                RowDistances.Compute(metric, vector, rows.AsSpan(0, count * dimension), some);
                if (metric == DistanceMetric.Cosine)
                    RowDistances.ToCosine(RowDistances.Norm(vector), norms.AsSpan(0, count), some);
                truth.Take(cases, query, first, some);
            }
        }

        return truth;
    }

    /// <summary>Rows that the exact answer of a query has: k, or all that match.</summary>
    public int CountOf(int number, int query) => _counts[(number * _queries) + query];

    /// <summary>Hits of an answer that are as near as the exact one's last.</summary>
    public int FoundBy(int number, int query, ReadOnlySpan<SearchHit> hits)
    {
        int count = CountOf(number, query), found = 0;
        if (count == 0)
            return 0;
        double last = _nearest[(number * _queries) + query][count - 1];
        foreach (SearchHit hit in hits)
        {
            double distance = _metric switch
            {
                DistanceMetric.L2 => hit.Score,
                DistanceMetric.InnerProduct => -hit.Score,
                _ => 1 - hit.Score,
            };
            found += distance <= last + (Rounding * Math.Max(Math.Abs(last), 1e-3)) ? 1 : 0;
        }

        return Math.Min(found, count);
    }

    private void Take(IReadOnlyList<FilterCase> cases, int query, int first, ReadOnlySpan<float> distances)
    {
        for (int number = 0; number < cases.Count; number++)
        {
            FilterCase filters = cases[number];
            int group = filters.GroupOf[query];
            int at = (number * _queries) + query;
            float[] nearest = _nearest[at];
            for (int i = 0; i < distances.Length; i++)
            {
                bool isNear = _counts[at] < _k || distances[i] < nearest[_k - 1];
                if (isNear && filters.Selects(group, first + i))
                    Insert(nearest, ref _counts[at], distances[i]);
            }
        }
    }

    private static void Insert(float[] nearest, ref int count, float distance)
    {
        int rank = Math.Min(count, nearest.Length - 1);
        for (; rank > 0 && nearest[rank - 1] > distance; rank--)
            nearest[rank] = nearest[rank - 1];
        nearest[rank] = distance;
        count = Math.Min(count + 1, nearest.Length);
    }
}

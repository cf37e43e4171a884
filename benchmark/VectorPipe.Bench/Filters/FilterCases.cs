using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Filters;

/// <summary>Generates filters: tags at random, clusters near to the query or far from it, ranges of rows, and conjunctions.</summary>
/// <remarks>
/// None is metadata of real records. A cluster is the rows that are nearest to one of a number of random rows, by squared L2. A query's own
/// one has the nearest of these rows, its far one that at the third quartile. A range is of consecutive rows: those of one source lie
/// together. Same seed, same filters.
/// </remarks>
internal sealed class FilterCases
{
    private static readonly double[] _randomShares = [0.5, 0.1, 0.01, 0.001, 0.0001];
    private static readonly double[] _clusterShares = [0.5, 0.1, 0.01];

    private readonly VectorMatrix _vectors;
    private readonly VectorMatrix _queries;
    private readonly ulong _seed;

    public FilterCases(VectorMatrix vectors, VectorMatrix queries, ulong seed)
    {
        _vectors = vectors;
        _queries = queries;
        _seed = seed;
    }

    /// <summary>All cases, the search without a filter first.</summary>
    public IReadOnlyList<FilterCase> Create()
    {
        int[] one = new int[_queries.Count];
        List<FilterCase> cases = [new FilterCase("none", 1, one, static (_, _) => true)];
        foreach (double share in _randomShares)
            cases.Add(new FilterCase("random", share, one, (_, row) => IsTagged(row, share)));
        foreach (double share in _clusterShares)
        {
            (int[] clusterOf, int[] own, int[] far) = Cluster((int)Math.Round(1 / share));
            cases.Add(new FilterCase("own", share, own, (group, row) => clusterOf[row] == group));
            cases.Add(new FilterCase("far", share, far, (group, row) => clusterOf[row] == group));
            if (share != 0.1)
                continue;
            cases.Add(new FilterCase("and", share * 0.1, own, (group, row) => clusterOf[row] == group && IsTagged(row, 0.1)));
            cases.Add(new FilterCase("and", share * 0.1, far, (group, row) => clusterOf[row] == group && IsTagged(row, 0.1)));
        }

        foreach (double share in (double[])[0.5, 0.1, 0.01])
        {
            int length = (int)(share * _vectors.Count);
            int first = new SplitMix64(_seed ^ (ulong)length).Next(_vectors.Count - length + 1);
            cases.Add(new FilterCase("range", share, one, (_, row) => row >= first && row < first + length));
        }

        return cases;
    }

    private bool IsTagged(int row, double share) =>
        new SplitMix64(_seed + ((ulong)row << 20) + (ulong)(share * 1_000_000)).Next() < share * ulong.MaxValue;

    private (int[] ClusterOf, int[] Own, int[] Far) Cluster(int count)
    {
        var random = new SplitMix64(_seed ^ ((ulong)count << 32));
        var pivots = new float[count * _vectors.Dimension];
        for (int i = 0; i < count; i++)
            Widen(_vectors, random.Next(_vectors.Count), pivots.AsSpan(i * _vectors.Dimension, _vectors.Dimension));
        var clusterOf = new int[_vectors.Count];
        var order = new int[count];
        Rank(_vectors, pivots, count, (row, ranked) => clusterOf[row] = ranked[0], order);
        int[] own = new int[_queries.Count], far = new int[_queries.Count];
        Rank(_queries, pivots, count, (row, ranked) => (own[row], far[row]) = (ranked[0], ranked[3 * count / 4]), order);
        return (clusterOf, own, far);
    }

    private static void Rank(VectorMatrix rows, float[] pivots, int count, Action<int, int[]> take, int[] order)
    {
        var row = new float[rows.Dimension];
        var distances = new float[count];
        for (int i = 0; i < rows.Count; i++)
        {
            Widen(rows, i, row);
            RowDistances.Compute(DistanceMetric.L2, row, pivots, distances);
            for (int pivot = 0; pivot < count; pivot++)
                order[pivot] = pivot;
            distances.AsSpan().Sort(order.AsSpan());
            take(i, order);
        }
    }

    private static void Widen(VectorMatrix rows, int row, Span<float> target) =>
        RowDistances.Widen(rows.ElementType, rows.Row(row), target);
}

namespace VectorPipe.Measuring.Data;

/// <summary>Finds the k nearest vectors of each query by comparing it with every vector: the truth for recall.</summary>
/// <remarks>Queries and results are in memory. The base is read in blocks that fit into a processor's cache.</remarks>
internal sealed class ExactNeighbours
{
    // Bytes of a block as float32.
    private const int BlockBytes = 1 << 20;

    private readonly VectorMatrix _queries;
    private readonly float[] _components;
    private readonly double[] _queryNorms;
    private readonly DistanceMetric _metric;
    private readonly int _k;
    private readonly float[] _distances;
    private readonly uint[] _ids;
    private readonly int[] _counts;
    private readonly float[][] _scratch;
    private readonly float[] _rows;
    private readonly double[] _rowNorms;

    private ExactNeighbours(VectorMatrix queries, int k, DistanceMetric metric, int threads, int blockRows)
    {
        _queries = queries;
        _k = k;
        _distances = new float[queries.Count * k];
        _ids = new uint[queries.Count * k];
        _counts = new int[queries.Count];
        _metric = metric;
        _scratch = [.. Enumerable.Range(0, Math.Min(threads, queries.Count)).Select(_ => new float[blockRows])];
        _rows = new float[blockRows * queries.Dimension];
        _rowNorms = new double[metric == DistanceMetric.Cosine ? blockRows : 0];
        _components = new float[(long)queries.Count * queries.Dimension];
        RowDistances.Widen(queries.ElementType, queries.Bytes, _components);
        _queryNorms = metric == DistanceMetric.Cosine
            ? [.. Enumerable.Range(0, queries.Count).Select(query => RowDistances.Norm(Query(query)))] : [];
    }

    /// <summary>Compares all queries of a file with all vectors of another and writes the truth file.</summary>
    /// <exception cref="InvalidVectorException">A query is zero under cosine, or has fewer than k comparable vectors.</exception>
    public static async Task WriteAsync(
        string basePath, string queryPath, string truthPath, int k, DistanceMetric metric, int threads,
        IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        await using VectorSource vectors = await VectorSource.OpenFileAsync(basePath, cancellationToken);
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", queryPath, cancellationToken);
        await WriteAsync(basePath, vectors, queries, truthPath, k, metric, threads, progress, cancellationToken);
    }

    /// <summary>Compares all queries with all vectors of a source and writes the truth file.</summary>
    /// <param name="basePath">The file behind the source, for errors.</param>
    /// <exception cref="InvalidVectorException">A query is zero under cosine, or has fewer than k comparable vectors.</exception>
    public static async Task WriteAsync(
        string basePath, VectorSource vectors, VectorMatrix queries, string truthPath, int k, DistanceMetric metric, int threads,
        IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        queries.RequireKind("--query", vectors.ElementType, vectors.Dimension, basePath);
        UsageException.Require(k >= 1 && k <= vectors.Count, "-k", k, $"1 to {vectors.Count}, the vectors in '{basePath}'");
        UsageException.Require((long)queries.Count * k <= Array.MaxLength, "-k", k,
            $"at most {Array.MaxLength / queries.Count}, for {queries.Count} queries");
        UsageException.Require(vectors.Count <= uint.MaxValue, "--base", vectors.Count, $"at most {uint.MaxValue} vectors");
        if (metric == DistanceMetric.Cosine)
            RequireNonZero(queries);

        UsageException.Require((long)queries.Count * queries.Dimension <= Array.MaxLength, "--query", queries.Count,
            $"at most {Array.MaxLength / queries.Dimension} queries");
        int blockRows = (int)Math.Min(vectors.Count, Math.Max(1, BlockBytes / sizeof(float) / queries.Dimension));
        var search = new ExactNeighbours(queries, k, metric, threads, blockRows);
        await search.CompareAsync(vectors, blockRows, progress, cancellationToken);
        search.Finish();
        ReadOnlyMemory<float> distances = GroundTruth.IsIvecs(truthPath) ? default : search._distances;
        await GroundTruth.SaveAsync(truthPath, queries.Count, k, search._ids, distances, cancellationToken);
    }

    private async Task CompareAsync(
        VectorSource vectors, int blockRows, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        int rowBytes = _queries.RowBytes;
        (byte[] block, byte[] next) = (new byte[blockRows * rowBytes], new byte[blockRows * rowBytes]);
        var keys = new ulong[blockRows];
        int rows = await vectors.ReadAsync(block, keys, cancellationToken);
        for (long first = 0; rows > 0;)
        {
            // Double buffering: read one block while comparing the other.
            Task<int> reading = vectors.ReadAsync(next, keys, cancellationToken).AsTask();
            try
            {
                Prepare(block.AsSpan(0, rows * rowBytes), rows);
                Compare(rows, (uint)first, cancellationToken);
            }
            finally
            {
                first += rows;
                rows = await reading;
            }

            (block, next) = (next, block);
            progress?.Report(new BuildProgress("truth", first, vectors.Count));
        }
    }

    private void Prepare(ReadOnlySpan<byte> block, int rows)
    {
        RowDistances.Widen(_queries.ElementType, block, _rows);
        for (int row = 0; row < rows && _metric == DistanceMetric.Cosine; row++)
            _rowNorms[row] = RowDistances.Norm(_rows.AsSpan(row * _queries.Dimension, _queries.Dimension));
    }

    private void Compare(int rows, uint firstId, CancellationToken cancellationToken)
    {
        var options = new ParallelOptions { MaxDegreeOfParallelism = _scratch.Length, CancellationToken = cancellationToken };
        Parallel.For(0, _scratch.Length, options, worker =>
        {
            int from = (int)((long)_queries.Count * worker / _scratch.Length);
            int to = (int)((long)_queries.Count * (worker + 1) / _scratch.Length);
            Span<float> distances = _scratch[worker].AsSpan(0, rows);
            for (int query = from; query < to; query++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                RowDistances.Compute(_metric, Query(query), _rows, distances);
                if (_metric == DistanceMetric.Cosine)
                    RowDistances.ToCosine(_queryNorms[query], _rowNorms, distances);
                HeapOf(query).Offer(distances, firstId);
            }
        });
    }

    private void Finish()
    {
        for (int query = 0; query < _queries.Count; query++)
        {
            if (_counts[query] < _k)
                throw new InvalidVectorException(query,
                    $"'{_queries.Path}': expected {_k} vectors whose distance is a number; found {_counts[query]}.");
            HeapOf(query).Sort();
        }
    }

    private ReadOnlySpan<float> Query(int query) => _components.AsSpan(query * _queries.Dimension, _queries.Dimension);

    private NeighbourHeap HeapOf(int query) => new(_distances.AsSpan(query * _k, _k), _ids.AsSpan(query * _k, _k), ref _counts[query]);

    private static void RequireNonZero(VectorMatrix queries)
    {
        for (int query = 0; query < queries.Count; query++)
        {
            if (!queries.Row(query).ContainsAnyExcept((byte)0))
                throw new InvalidVectorException(query,
                    $"'{queries.Path}': expected a query that is not zero under the cosine metric; found zeros only.");
        }
    }
}

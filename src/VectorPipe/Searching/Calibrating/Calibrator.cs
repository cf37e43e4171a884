using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>One calibration of an index.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
internal sealed class Calibrator<T>(
    SearchIndex index, CalibrationQueries asked, int queriesInFlight, int threads, Action<long, long>? progress,
    CancellationToken cancellationToken)
    where T : unmanaged
{
    // A session has reads for four queries at least: with fewer of them, more threads would take more memory.
    private const int LeastInFlight = 4;

    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

    private readonly CalibrationPlan _plan = index.Kind.PlanCalibration(index.Schema);
    private readonly int _count = asked.Rows is null ? (int)Math.Min(asked.Count, index.Schema.Count) : asked.Count;
    private readonly int _dimension = index.Schema.Dimension;
    private readonly int _k = (int)Math.Min(Calibration.K, index.Schema.Count);
    private readonly Lock _reporting = new();
    private long _done;

    private long Searches => _count * (_plan.Steps.Count + (_plan.Fit is null ? 1L : 2L));

    /// <summary>Makes queries, unless there are some, fits the line, and measures the table.</summary>
    public Calibration Run()
    {
        var calibration = new Calibration(1, 1, 0, []);
        SearchHit[] truth = new SearchHit[_count * _k];
        var truths = new SearchStatistics[_count];
        T[][] queries = asked.Rows is { } rows ? Blocks(rows) : Make();
        SearchIndex measured = index;
        if (_plan.Fit is { } options)
        {
            float largest = LargestSquaredNorm(queries);
            DistanceFit[] fits = [.. queries.Select(_ => new DistanceFit(index.Schema.Metric, largest))];
            Search(measured, queries, truth, truths, block => options with { Tuning = new WalkTuning { Probe = fits[block].Add } });
            calibration = DistanceFit.Join(fits).ToCalibration();
        }

        // Long walks find the neighbours of queries that are like the data. Of others they may miss just those that are hard to find.
        SearchOptions toTruth = asked.Rows is null ? _plan.Truth : _exact;
        Search(measured, queries, truth, truths, _ => toTruth);

        // The table is measured with the line that it is stored with.
        measured = index.With(calibration);
        List<CalibrationPoint> points = [];
        foreach ((float setting, SearchOptions step) in _plan.Steps)
        {
            points.Add(Measure(measured, queries, truth, truths, setting, step));
            if (points[^1].Recall >= _plan.EnoughRecall)
                break;
        }

        if (_done < Searches)
            Report(Searches - _done);

        return calibration with { Points = points };
    }

    private T[][] Make()
    {
        using SearchSession session = OpenSession(index, queriesInFlight);
        return SyntheticQueries<T>.Make(session, index, _count, cancellationToken);
    }

    private T[][] Blocks(byte[] rows) =>
    [
        .. Enumerable.Range(0, (_count + SyntheticQueries<T>.BlockQueries - 1) / SyntheticQueries<T>.BlockQueries).Select(block =>
        {
            int first = block * SyntheticQueries<T>.BlockQueries, count = Math.Min(_count - first, SyntheticQueries<T>.BlockQueries);
            int rowBytes = rows.Length / _count;
            return MemoryMarshal.Cast<byte, T>(rows.AsSpan(first * rowBytes, count * rowBytes)).ToArray();
        }),
    ];

    private static SearchSession OpenSession(SearchIndex index, int queriesInFlight) => new(index, queriesInFlight, static () => { });

    private CalibrationPoint Measure(
        SearchIndex measured, T[][] queries, SearchHit[] truth, SearchStatistics[] truths, float setting, SearchOptions options)
    {
        var hits = new SearchHit[truth.Length];
        var statistics = new SearchStatistics[_count];
        Search(measured, queries, hits, statistics, _ => options);
        long found = 0, pages = 0;
        for (int query = 0; query < _count; query++)
        {
            // A search may find fewer than k.
            ReadOnlySpan<SearchHit> nearest = truth.AsSpan(query * _k, truths[query].Hits);
            found += TrueNeighbours.Count(nearest, hits.AsSpan(query * _k, statistics[query].Hits), index.Schema.Metric);
            pages += _plan.PagesOf(statistics[query]);
        }

        float recall = (float)((double)found / truth.Length);
        if (asked.Rows is null)
            recall = Math.Min(recall, _plan.MostClaimed(setting));
        return new CalibrationPoint(setting, recall, (float)((double)pages / _count));
    }

    // Blocks are searched on several threads, each with a session of its own, and share the queries in flight.
    private void Search(
        SearchIndex measured, T[][] queries, SearchHit[] hits, SearchStatistics[] statistics, Func<int, SearchOptions> optionsOf)
    {
        int workers = Math.Max(1, Math.Min(Math.Min(threads, queriesInFlight / LeastInFlight), queries.Length)), next = -1;
        if (workers == 1)
        {
            Work(0);
            return;
        }

        try
        {
            Parallel.For(0, workers, ParallelLoops.Options(workers, cancellationToken), Work);
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.Flatten().InnerExceptions.FirstOrDefault(error => error is not OperationCanceledException) ?? e);
        }

        void Work(int worker)
        {
            using SearchSession session = OpenSession(measured, queriesInFlight / workers);
            for (int block = Interlocked.Increment(ref next); block < queries.Length; block = Interlocked.Increment(ref next))
            {
                int first = block * SyntheticQueries<T>.BlockQueries, count = queries[block].Length / _dimension;
                session.SearchMany<T>(
                    queries[block], _k, hits.AsSpan(first * _k, count * _k), statistics.AsSpan(first, count), optionsOf(block),
                    cancellationToken);
                Report(count);
            }
        }
    }

    // The last report may cancel, too.
    private void Report(long done)
    {
        lock (_reporting)
        {
            _done += done;
            progress?.Invoke(_done, Searches);
        }

        cancellationToken.ThrowIfCancellationRequested();
    }

    // Under the inner product the largest norm makes distances positive. The queries, which are of the data, stand for the vectors.
    private float LargestSquaredNorm(T[][] queries)
    {
        float largest = 0;
        if (index.Schema.Metric != DistanceMetric.InnerProduct)
            return largest;
        var components = new float[_dimension];
        foreach (T[] block in queries)
        {
            for (int at = 0; at < block.Length; at += _dimension)
            {
                ReadOnlySpan<byte> query = MemoryMarshal.AsBytes(block.AsSpan(at, _dimension));
                VectorConversion.ToFloat(index.Schema.ElementType, query, components);
                largest = Math.Max(largest, SearchIndex.SquaredNorm(components));
            }
        }

        return largest;
    }
}

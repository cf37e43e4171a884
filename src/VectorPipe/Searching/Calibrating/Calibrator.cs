using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>One calibration of an index.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
internal sealed class Calibrator<T>(
    SearchIndex index, CalibrationQueries asked, int queriesInFlight, Action<long, long>? progress, CancellationToken cancellationToken)
    where T : unmanaged
{
    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

    private readonly CalibrationPlan _plan = index.Kind.PlanCalibration(index.Schema);
    private readonly int _count = asked.Rows is null ? (int)Math.Min(asked.Count, index.Schema.Count) : asked.Count;
    private readonly int _dimension = index.Schema.Dimension;
    private readonly int _k = (int)Math.Min(Calibration.K, index.Schema.Count);
    private long _done;

    private long Searches => _count * (_plan.Steps.Count + (_plan.Fit is null ? 1L : 2L));

    /// <summary>Makes queries, unless there are some, fits the line, and measures the table.</summary>
    public Calibration Run()
    {
        var calibration = new Calibration(1, 1, 0, []);
        T[][] queries;
        SearchHit[] truth = new SearchHit[_count * _k];
        var truths = new SearchStatistics[_count];
        using (SearchSession session = OpenSession(index.Calibration))
        {
            queries = asked.Rows is { } rows ? Blocks(rows) : SyntheticQueries<T>.Make(session, index, _count, cancellationToken);
            if (_plan.Fit is { } options)
            {
                var fit = new DistanceFit(index.Schema.Metric, LargestSquaredNorm(queries));
                Search(session, queries, truth, truths, options with { Tuning = new WalkTuning { Probe = fit.Add } });
                calibration = fit.ToCalibration();
            }

            // Long walks find the neighbours of queries that are like the data. Of others they may miss just those that are hard to find.
            Search(session, queries, truth, truths, asked.Rows is null ? _plan.Truth : _exact);
        }

        // The table is measured with the line that it is stored with.
        List<CalibrationPoint> points = [];
        using (SearchSession session = OpenSession(calibration))
        {
            foreach ((float setting, SearchOptions options) in _plan.Steps)
            {
                points.Add(Measure(session, queries, truth, truths, setting, options));
                if (points[^1].Recall >= _plan.EnoughRecall)
                    break;
            }
        }

        if (_done < Searches)
            Report(Searches);

        return calibration with { Points = points };
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

    private SearchSession OpenSession(Calibration? calibration) => new(index.With(calibration), queriesInFlight, static () => { });

    private CalibrationPoint Measure(
        SearchSession session, T[][] queries, SearchHit[] truth, SearchStatistics[] truths, float setting, SearchOptions options)
    {
        var hits = new SearchHit[truth.Length];
        var statistics = new SearchStatistics[_count];
        Search(session, queries, hits, statistics, options);
        long found = 0, pages = 0;
        for (int query = 0; query < _count; query++)
        {
            // A search may find fewer than k.
            ReadOnlySpan<SearchHit> nearest = truth.AsSpan(query * _k, truths[query].Hits);
            found += TrueNeighbours.Count(nearest, hits.AsSpan(query * _k, statistics[query].Hits), index.Schema.Metric);
            pages += _plan.PagesOf(statistics[query]);
        }

        return new CalibrationPoint(setting, (float)((double)found / truth.Length), (float)((double)pages / _count));
    }

    private void Search(SearchSession session, T[][] queries, SearchHit[] hits, SearchStatistics[] statistics, SearchOptions options)
    {
        int first = 0;
        foreach (T[] block in queries)
        {
            int count = block.Length / _dimension;
            session.SearchMany<T>(
                block, _k, hits.AsSpan(first * _k, count * _k), statistics.AsSpan(first, count), options,
                cancellationToken);
            first += count;
            _done += count;
            Report(_done);
        }
    }

    // The last report may cancel, too.
    private void Report(long done)
    {
        progress?.Invoke(done, Searches);
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

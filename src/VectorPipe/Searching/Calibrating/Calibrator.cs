using VectorPipe.Numerics.Conversion;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>One calibration of an index whose vectors have components of a type.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
internal sealed class Calibrator<T> : ICalibrator
    where T : unmanaged
{
    private const int FitListSize = 200;
    private const int TruthListSize = 400;

    // From here on a point of the table tells nothing more.
    private const float Everything = 0.9995f;

    private readonly SearchIndex _index;
    private readonly int _queriesInFlight;
    private readonly Action<long, long>? _progress;
    private readonly CancellationToken _cancellationToken;
    private readonly int _count;
    private readonly int _dimension;
    private readonly int _k;
    private long _done;
    private long _passes;

    public Calibrator(
        SearchIndex index, int queries, int queriesInFlight, Action<long, long>? progress, CancellationToken cancellationToken)
    {
        _index = index;
        _queriesInFlight = queriesInFlight;
        _progress = progress;
        _cancellationToken = cancellationToken;
        _count = (int)Math.Min(queries, index.Schema.Count);
        _dimension = index.Schema.Dimension;
        _k = (int)Math.Min(Calibration.K, index.Schema.Count);
    }

    /// <summary>Makes queries, fits the line, and measures the table.</summary>
    public Calibration RunGraph()
    {
        _passes = 2 + IndexCalibrator.Thresholds.Count;
        T[][] queries;
        Calibration calibration;
        SearchHit[] truth = new SearchHit[_count * _k];
        using (SearchSession session = OpenSession(_index.Calibration))
        {
            queries = SyntheticQueries<T>.Make(session, _index, _count, _cancellationToken);
            var fit = new DistanceFit(_index.Schema.Metric, LargestSquaredNorm(queries));
            Search(session, queries, truth, [], ByList(FitListSize) with { Tuning = new WalkTuning { Probe = fit } });
            Search(session, queries, truth, [], ByList(TruthListSize));
            calibration = fit.ToCalibration();
        }

        // The table is measured with the line that it is stored with.
        using (SearchSession session = OpenSession(calibration))
            return calibration with
            {
                Points = [
                .. IndexCalibrator.Thresholds.Select(
                    threshold =>
                    Measure(session, queries, truth, threshold, ByGain(threshold), static cost => cost.Reads + cost.CacheHits))]
            };
    }

    /// <summary>Makes queries and measures the table: lists need no line.</summary>
    public Calibration RunLists(int lists)
    {
        int[] ladder = [.. IndexCalibrator.ProbesOf(lists)];
        _passes = 1 + ladder.Length;
        using SearchSession session = OpenSession(null);
        T[][] queries = SyntheticQueries<T>.Make(session, _index, _count, _cancellationToken);
        SearchHit[] truth = new SearchHit[_count * _k];

        // With this threshold lists are passed over only if next to nothing is lost by it.
        int? rerank = _index.Schema.Lists!.IsCoded ? TruthListSize : null;
        Search(
            session, queries, truth, [],
            new SearchOptions
            {
                Ivf =
            new IvfSearch { Probes = IndexCalibrator.TruthProbes, Rerank = rerank },
                Tuning = new WalkTuning { BoundFactor = 1 }
            });
        List<CalibrationPoint> points = [];
        foreach (int probes in ladder)
        {
            // Reads ahead that were in vain depend on when others land; a calibration must not.
            points.Add(
                Measure(
                    session, queries, truth, probes, new SearchOptions { Ivf = new IvfSearch { Probes = probes } },
                    static cost => cost.PagesScanned));
            if (points[^1].Recall >= Everything)
                break;
        }

        return new Calibration(1, 1, 0, points);
    }

    private static SearchOptions ByList(int listSize) =>
        new() { Graph = new GraphSearch { ListSize = listSize, BeamWidth = 8 }, Mode = SearchMode.Beam };

    private static SearchOptions ByGain(float threshold) =>
        new() { Graph = new GraphSearch { Threshold = threshold }, Mode = SearchMode.Beam };

    private SearchSession OpenSession(Calibration? calibration) => new(_index.With(calibration), _queriesInFlight, static () => { });

    private CalibrationPoint Measure(
        SearchSession session, T[][] queries, SearchHit[] truth, float knob, SearchOptions options, Func<SearchStatistics, long> costOf)
    {
        var hits = new SearchHit[truth.Length];
        var statistics = new SearchStatistics[_count];
        Search(session, queries, hits, statistics, options);
        long found = 0, reads = 0;
        for (int query = 0; query < _count; query++)
        {
            // Ties at the end of the answer are as good as what they tie with.
            float last = truth[query * _k + _k - 1].Score;
            foreach (SearchHit hit in hits.AsSpan(query * _k, _k))
                found += IsAsGood(hit.Score, last) ? 1 : 0;

            reads += costOf(statistics[query]);
        }

        return new CalibrationPoint(knob, (float)((double)found / truth.Length), (float)((double)reads / _count));
    }

    private bool IsAsGood(float score, float last) => _index.Schema.Metric == DistanceMetric.L2 ? score <= last : score >= last;

    private void Search(SearchSession session, T[][] queries, SearchHit[] hits, SearchStatistics[] statistics, SearchOptions options)
    {
        int first = 0;
        foreach (T[] block in queries)
        {
            int count = block.Length / _dimension;
            session.SearchMany<T>(
                block,
                _k,
                hits.AsSpan(first * _k, count * _k),
                statistics.Length == 0 ? [] : statistics.AsSpan(first, count),
                options,
                _cancellationToken);
            first += count;
            _done += count;
            _progress?.Invoke(_done, _count * _passes);

            // Whoever cancels at the last report is heard, too.
            _cancellationToken.ThrowIfCancellationRequested();
        }
    }

    // Under the inner product distances are made positive by the largest norm; that of the queries, which are of the data, stands for it.
    private float LargestSquaredNorm(T[][] queries)
    {
        if (_index.Schema.Metric != DistanceMetric.InnerProduct)
            return 0;
        var components = new float[_dimension];
        double largest = 0;
        foreach (T[] block in queries)
        {
            for (int at = 0; at < block.Length; at += _dimension)
            {
                VectorConversion.ToFloat(
                    _index.Schema.ElementType, System.Runtime.InteropServices.MemoryMarshal.AsBytes(block.AsSpan(at, _dimension)),
                    components);
                double norm = 0;
                foreach (float component in components)
                    norm += (double)component * component;
                largest = Math.Max(largest, norm);
            }
        }

        return (float)largest;
    }
}

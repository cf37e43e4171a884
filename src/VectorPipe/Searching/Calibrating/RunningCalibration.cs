using System.Diagnostics;
using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>Calibrates an index by the queries that it gets, again and again, while it serves them.</summary>
/// <remarks>
/// <para>A round takes a sample of the queries since the last one, finds their true neighbours by exact searches, and measures the table of
/// recall and reads with them; then it rests for many times as long as it took. A few queries are measured as soon as their neighbours are
/// known: what is written meanwhile makes neighbours untrue.</para>
/// <para>Thread-safe. Its searches go through the run threads, so they wait and are bounded like any other.</para>
/// </remarks>
internal sealed class RunningCalibration : IDisposable
{
    // They share a scan, which takes half of the queries that a run thread has in flight by default.
    private const int Together = 8;

    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };
    private static readonly TimeSpan _overloaded = TimeSpan.FromMilliseconds(100);

    // Refusals of one search in a row, after which the neighbours that it is compared with may be too old.
    private const int MostRefusals = 10;

    // After a rebuild the next round begins sooner: it takes one in so many seconds at most.
    private const int LeastShare = 8;

    private readonly ICalibrationTarget _target;
    private readonly QuerySample _sample;
    private readonly int _share;
    private readonly TimeProvider _clock;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private Task _run = Task.CompletedTask;

    // What the last round measured, and the calibration that followed from it.
    private SearchIndex? _index;
    private Calibration? _inForce;
    private QueryRecall? _latest;

    // Time of the round in which searches waited for a place, and those that wait.
    private TimeSpan _waited;
    private long _waitsFrom;
    private int _waiting;

    /// <param name="target">What is measured.</param>
    /// <param name="sample">The queries that come; those who search offer them.</param>
    /// <param name="share">A round takes one in this many seconds, 1 or more: with 128, the 99th percentile of latency does not see
    /// it.</param>
    /// <param name="clock">Measures the rounds and the rests.</param>
    /// <param name="logger">Receives results and failures.</param>
    public RunningCalibration(ICalibrationTarget target, QuerySample sample, int share, TimeProvider clock, ILogger logger)
    {
        _target = target;
        _sample = sample;
        _share = share;
        _clock = clock;
        _logger = logger;
    }

    /// <summary>What the last round found; null before the first has ended.</summary>
    public QueryRecall? Latest => Volatile.Read(ref _latest);

    /// <summary>Begins to wait for queries. Once, before anything else.</summary>
    public void Start()
    {
        // It lives as long as the index: what the caller's context holds must not.
        using (ExecutionContext.SuppressFlow())
            _run = Task.Run(RunAsync);
    }

    /// <summary>Ends the round in progress, waits for its end, and begins no more. Idempotent. The target is still open.</summary>
    public void Dispose()
    {
        _stop.Cancel();

        // Whatever became of it, the index must be closed.
        _run.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing).GetAwaiter().GetResult();
    }

    private async Task RunAsync()
    {
        try
        {
            while (true)
            {
                await _sample.WaitAsync(_stop.Token).ConfigureAwait(false);
                SearchIndex? index = _target.Index;
                long from = _clock.GetTimestamp();
                _waited = TimeSpan.Zero;
                await TryRoundAsync(index).ConfigureAwait(false);
                AssertInvariants();

                // After a rebuild the table is that of its build again: the next round does not wait for the end of the rest.
                TimeSpan taken = _clock.GetElapsedTime(from) - _waited;
                for (int i = 1; i < (_target.Index == index ? _share : Math.Min(_share, LeastShare)); i++)
                    await Task.Delay(taken, _clock, _stop.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The index is about to be closed.
        }
    }

    private async Task TryRoundAsync(SearchIndex? index)
    {
        try
        {
            byte[][] queries = _sample.Take();
            if (index is { Calibration: { Points.Count: > 0 } stored })
                await RoundAsync(index, stored, queries).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _stop.Token.ThrowIfCancellationRequested();

            // Nobody awaits it. Searches go on with the table that they have; a collection may have replaced the index meanwhile.
            Log(logger => SearchLog.NotFollowed(logger, e, _target.Directory));
        }
    }

    private async Task RoundAsync(SearchIndex index, Calibration stored, byte[][] queries)
    {
        Calibration before = index == _index && _inForce is { } last ? last : stored;
        CalibrationPlan plan = index.Kind.PlanCalibration(index.Schema);
        long from = _clock.GetTimestamp();
        long wanted = 0;
        var sums = new (long Found, long Pages)[plan.Steps.Count];
        foreach (byte[][] some in queries.Chunk(Together))
        {
            if (_target.Index != index)
                return;
            SearchHit[][] nearest = await Task.WhenAll(some.Select(FindNearestAsync)).ConfigureAwait(false);
            wanted += nearest.Sum(hits => hits.Length);
            for (int step = 0; step < sums.Length; step++)
            {
                (long found, long pages) = await MeasureAsync(plan, step, some, nearest).ConfigureAwait(false);
                sums[step] = (sums[step].Found + found, sums[step].Pages + pages);
            }
        }

        // A collection whose last record was deleted.
        if (wanted == 0)
            return;
        Calibration after = before with { Points = PointsOf(index, plan, sums, wanted, queries.Length) };
        if (!_target.Use(index, after))
            return;
        (_index, _inForce) = (index, after);
        float asked = SearchOptions.DefaultTargetRecall;
        var latest = new QueryRecall(queries.Length, asked, after.RecallOf(before.ThresholdFor(asked)));
        Volatile.Write(ref _latest, latest);
        double seconds = _clock.GetElapsedTime(from).TotalSeconds;
        Log(logger => SearchLog.Followed(logger, _target.Directory, latest.Queries, latest.Target, latest.Found, seconds));
    }

    private async Task<SearchHit[]> FindNearestAsync(byte[] query) => (await SearchAsync(query, _exact).ConfigureAwait(false)).Hits;

    private async Task<(long Found, long Pages)> MeasureAsync(CalibrationPlan plan, int step, byte[][] queries, SearchHit[][] nearest)
    {
        long found = 0, pages = 0;
        for (int i = 0; i < queries.Length; i++)
        {
            (SearchHit[] hits, SearchStatistics cost) = await SearchAsync(queries[i], plan.Steps[step].Options).ConfigureAwait(false);

            // Records that were written meanwhile may be as good as the neighbours that were found before.
            found += Math.Min(nearest[i].Length, TrueNeighbours.Count(nearest[i], hits, _target.Metric));
            pages += plan.PagesOf(cost);
        }

        return (found, pages);
    }

    // Searches of this index take its effort, and a target is adapted to it later.
    private static List<CalibrationPoint> PointsOf(
        SearchIndex index, CalibrationPlan plan, (long Found, long Pages)[] sums, long wanted, int queries)
    {
        List<CalibrationPoint> points = [];
        for (int step = 0; step < sums.Length && (points.Count == 0 || points[^1].Recall < plan.EnoughRecall); step++)
        {
            float setting = index.Effort.Restore(plan.Steps[step].Setting);
            float recall = (float)((double)sums[step].Found / wanted), pages = (float)((double)sums[step].Pages / queries);
            points.Add(new CalibrationPoint(setting, recall, pages));
        }

        return points;
    }

    // The searches of the program come first: under overload it waits.
    private async Task<(SearchHit[] Hits, SearchStatistics Cost)> SearchAsync(byte[] query, SearchOptions options)
    {
        for (int refusals = 1; ; refusals++)
        {
            _stop.Token.ThrowIfCancellationRequested();
            try
            {
                return await _target.SearchAsync(query, Calibration.K, options, _stop.Token).ConfigureAwait(false);
            }
            catch (SearchOverloadedException) when (refusals < MostRefusals)
            {
                await WaitForPlaceAsync().ConfigureAwait(false);
            }
        }
    }

    // Several searches may wait at once: the time counts once.
    private async Task WaitForPlaceAsync()
    {
        lock (_gate)
        {
            if (_waiting++ == 0)
                _waitsFrom = _clock.GetTimestamp();
        }

        try
        {
            await Task.Delay(_overloaded, _clock, _stop.Token).ConfigureAwait(false);
        }
        finally
        {
            lock (_gate)
            {
                if (--_waiting == 0)
                    _waited += _clock.GetElapsedTime(_waitsFrom);
            }
        }
    }

    // A logger that throws changes nothing.
    private void Log(Action<ILogger> message)
    {
        try
        {
            message(_logger);
        }
        catch (Exception)
        {
            // There is nobody else to tell.
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_waiting == 0, "no search of a round outlives it");
        Debug.Assert((_index is null) == (_inForce is null) && (_index is null) == (_latest is null), "all are of the last round");
    }
}

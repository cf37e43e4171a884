using System.Diagnostics;
using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>Calibrates an index by the queries that it gets, again and again, while it serves them.</summary>
/// <remarks>
/// <para>A round takes a sample of the queries since the last one, finds their true neighbours by exact searches, and measures the table of
/// recall and reads with them; then it rests for many times as long as it took. A round is made in one go: true neighbours must not be
/// older than what is written meanwhile.</para>
/// <para>Thread-safe. Its searches go through the run threads, so they wait and are bounded like any other.</para>
/// </remarks>
internal sealed class RunningCalibration : IDisposable
{
    /// <summary>Queries of a round: recall comes out within about 0.7 points.</summary>
    public const int Queries = 256;

    // They share a scan: as many as a run thread has in flight by default.
    private const int Together = 16;

    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

    private readonly ICalibrationTarget _target;
    private readonly QuerySample _sample;
    private readonly int _share;
    private readonly TimeProvider _clock;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();

    // What the last round measured, and the calibration that followed from it.
    private SearchIndex? _index;
    private Calibration? _inForce;
    private QueryRecall? _latest;

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

    /// <summary>Begins to wait for queries.</summary>
    /// <returns>Ends after <see cref="Dispose"/>.</returns>
    public Task RunAsync() => Task.Run(async () =>
    {
        try
        {
            while (true)
            {
                await _sample.WaitAsync(_stop.Token).ConfigureAwait(false);
                long from = _clock.GetTimestamp();
                await TryRoundAsync().ConfigureAwait(false);
                await Task.Delay(_clock.GetElapsedTime(from) * (_share - 1), _clock, _stop.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The index is being closed.
        }
    });

    /// <summary>Ends the round in progress, and begins no more. Idempotent; does not wait.</summary>
    public void Dispose() => _stop.Cancel();

    private async Task TryRoundAsync()
    {
        try
        {
            await RoundAsync(_sample.Take()).ConfigureAwait(false);
        }
        catch (Exception e) when (e is VectorPipeException or ObjectDisposedException && !_stop.IsCancellationRequested)
        {
            // Searches go on with the table that they have. A collection may have replaced the index; then the next round measures it.
            Log(logger => SearchLog.NotFollowed(logger, e, _target.Directory));
        }
    }

    private async Task RoundAsync(byte[][] queries)
    {
        if (_target.Index is not { Calibration: { Points.Count: > 0 } stored } index)
            return;
        Calibration before = index == _index && _inForce is { } last ? last : stored;
        long from = _clock.GetTimestamp();
        SearchHit[][] nearest = await FindAllAsync(queries, Calibration.K, _exact).ConfigureAwait(false);
        CalibrationPlan plan = index.Kind.PlanCalibration(index.Schema);
        List<CalibrationPoint> points = [];
        foreach ((float setting, SearchOptions options) in plan.Steps)
        {
            points.Add(await MeasureAsync(index, plan, queries, nearest, setting, options).ConfigureAwait(false));
            if (points[^1].Recall >= plan.EnoughRecall)
                break;
        }

        Calibration after = before with { Points = points };
        float asked = SearchOptions.DefaultTargetRecall;
        var latest = new QueryRecall(queries.Length, asked, after.RecallOf(before.ThresholdFor(asked)));
        _target.Use(index, after);
        (_index, _inForce) = (index, after);
        Volatile.Write(ref _latest, latest);
        double seconds = _clock.GetElapsedTime(from).TotalSeconds;
        Log(
            logger => SearchLog.Followed(logger, _target.Directory, latest.Queries, latest.Found, latest.Target, seconds));
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

    private async Task<SearchHit[][]> FindAllAsync(byte[][] queries, int k, SearchOptions options)
    {
        var found = new SearchHit[queries.Length][];
        var searches = new List<Task>(Together);
        for (int first = 0; first < queries.Length; first += Together)
        {
            for (int i = first; i < Math.Min(queries.Length, first + Together); i++)
                searches.Add(FindAsync(i));
            await Task.WhenAll(searches).ConfigureAwait(false);
            searches.Clear();
        }

        return found;

        async Task FindAsync(int i) => (found[i], _) = await _target.SearchAsync(queries[i], k, options, _stop.Token).ConfigureAwait(false);
    }

    private async Task<CalibrationPoint> MeasureAsync(
        SearchIndex index, CalibrationPlan plan, byte[][] queries, SearchHit[][] nearest, float setting, SearchOptions options)
    {
        long found = 0, wanted = 0, pages = 0;
        for (int i = 0; i < queries.Length; i++)
        {
            (SearchHit[] hits, SearchStatistics cost) =
                await _target.SearchAsync(queries[i], Calibration.K, options, _stop.Token).ConfigureAwait(false);
            found += TrueNeighbours.Count(nearest[i], hits, index.Schema.Metric);
            wanted += nearest[i].Length;
            pages += plan.PagesOf(cost);
        }

        Debug.Assert(wanted > 0, "an index that is calibrated has vectors");

        // Searches of this index take its effort, and what they aim at is adapted to it later.
        return new CalibrationPoint(
            index.Effort.Restore(setting), (float)((double)found / Math.Max(1, wanted)), (float)((double)pages / queries.Length));
    }
}

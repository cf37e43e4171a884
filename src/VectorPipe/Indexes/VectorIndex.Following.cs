using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Diagnostics;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Manifests;

namespace VectorPipe;

/// <content>Searches that follow the queries that come, see <see cref="OpenOptions.FollowQueries"/>.</content>
public sealed partial class VectorIndex : ICalibrationTarget
{
    private RunningCalibration? _following;

    /// <summary>What searches found of the queries that came; null before it was measured, or if nothing follows them.</summary>
    public QueryRecall? QueryRecall => _following?.Latest;

    /// <summary>Receives the queries of searches that aim at a recall; null for none.</summary>
    internal QuerySample? Followed { get; set; }

    /// <summary>What searches that aim at a recall follow; null if the index was not calibrated.</summary>
    internal Calibration? FollowedCalibration => _planner.Calibration;

    double? IObservedStore.ObservedRecall => QueryRecall?.Found;

    DistanceMetric ICalibrationTarget.Metric => _index.Schema.Metric;

    string ICalibrationTarget.Directory => Info.Directory;

    SearchIndex? ICalibrationTarget.Index => _index;

    async ValueTask<(SearchHit[] Hits, SearchStatistics Cost)> ICalibrationTarget.SearchAsync(
        byte[] query, int k, SearchOptions options, CancellationToken cancellationToken)
    {
        SearchResult found = await Post(_searches, query, Plan(k, options), default, cancellationToken).ConfigureAwait(false);
        return (found.AsSpan().ToArray(), found.Statistics);
    }

    bool ICalibrationTarget.Use(SearchIndex index, Calibration calibration) => Use(index, calibration);

    /// <summary>Has searches that aim at a recall follow a calibration, if the index is the one that was measured.</summary>
    /// <returns>Whether it is.</returns>
    internal bool Use(SearchIndex index, Calibration calibration)
    {
        if (index != _index)
            return false;
        _planner.Use(calibration);
        return true;
    }

    private void Follow()
    {
        if (!_options.FollowQueries)
            return;
        ILogger logger = (_options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger<VectorIndex>();
        Followed = new QuerySample(_options.FollowedQueries);
        _following = new RunningCalibration(this, Followed, _options.FollowShare, TimeProvider.System, logger);
        _following.Start();
    }
}

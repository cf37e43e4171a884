using VectorPipe.Searching.Index;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>What a <see cref="RunningCalibration"/> measures: an open index, or a collection whose index changes.</summary>
internal interface ICalibrationTarget
{
    /// <summary>Names it in messages.</summary>
    string Directory { get; }

    /// <summary>The index that searches walk at this moment; null if there is none.</summary>
    SearchIndex? Index { get; }

    /// <summary>The metric of the scores.</summary>
    DistanceMetric Metric { get; }

    /// <summary>Searches as the program does.</summary>
    /// <param name="query">The query's bytes.</param>
    /// <param name="k">Number of results.</param>
    /// <param name="options">How to search.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <exception cref="ObjectDisposedException">It was closed.</exception>
    ValueTask<(SearchHit[] Hits, SearchStatistics Cost)> SearchAsync(
        byte[] query, int k, SearchOptions options, CancellationToken cancellationToken);

    /// <summary>Has searches that aim at a recall follow a calibration from now on.</summary>
    /// <param name="index">The index that was measured.</param>
    /// <param name="calibration">Its calibration.</param>
    /// <returns>False if another index is searched now: nothing changes.</returns>
    bool Use(SearchIndex index, Calibration calibration);
}

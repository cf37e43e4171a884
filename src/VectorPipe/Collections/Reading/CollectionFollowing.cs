using VectorPipe.Collections.Generations;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Collections.Reading;

/// <summary>A collection whose searches follow the queries that come: the generation in force, and the writes above it.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class CollectionFollowing(
    CollectionState state, CollectionSearch search, string directory, DistanceMetric metric) : ICalibrationTarget
{
    public string Directory => directory;

    public DistanceMetric Metric => metric;

    public SearchIndex? Index => state.View.Generation?.Index.Contents;

    public async ValueTask<(SearchHit[] Hits, SearchStatistics Cost)> SearchAsync(
        byte[] query, int k, SearchOptions options, CancellationToken cancellationToken)
    {
        using ViewLease lease = state.Lease();
        var found = new FoundRecords();
        await search
            .SearchAsync(lease.View, query, k, options, filter: null, matches: null, kept: null, found, cancellationToken)
            .ConfigureAwait(false);
        return (found.Hits.ToArray(), found.Statistics);
    }

    public bool Use(SearchIndex index, Calibration calibration)
    {
        using ViewLease lease = state.Lease();
        return lease.View.Generation is { } generation && generation.Index.Use(index, calibration);
    }
}

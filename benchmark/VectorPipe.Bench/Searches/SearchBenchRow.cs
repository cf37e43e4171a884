using System.Text.Json.Nodes;
using VectorPipe.Measuring.Searches;
using VectorPipe.Searching;

namespace VectorPipe.Bench.Searches;

/// <summary>The figures of one mode, number of threads and setting: what <c>vectorpipe search</c> reports, and what the device saw.</summary>
/// <param name="Search">What the search gave and cost.</param>
/// <param name="MeanQueueDepth">Mean number of reads in flight, all threads together, over time.</param>
/// <param name="SystemCallsPerRead">System calls of the device queues a read.</param>
/// <param name="BytesPerQuery">Bytes read a query.</param>
internal sealed record SearchBenchRow(SearchResultRow Search, double MeanQueueDepth, double SystemCallsPerRead, double BytesPerQuery)
{
    /// <summary>Condenses a measurement.</summary>
    public static SearchBenchRow Create(
        SearchMeasurement measured, double meanQueueDepth, SearchOptions options, double? recall, int queriesInFlight, string mode, string device) => new(
        SearchResultRow.Create(measured, options, recall, queriesInFlight, mode, device),
        meanQueueDepth,
        measured.SystemCalls / Math.Max(1.0, measured.DeviceReads),
        measured.Statistics.Sum(query => query.BytesRead) / (double)measured.Statistics.Length);

    /// <summary>Names and values of the columns, in order: the same in JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        .. Search.ToColumns(),
        new("mean_queue_depth", MeanQueueDepth),
        new("syscalls_per_read", SystemCallsPerRead),
        new("bytes_per_query", BytesPerQuery),
    ];
}

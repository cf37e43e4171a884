using System.Text.Json.Nodes;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>
/// The figures of one mode, number of threads and setting: what <c>vectorpipe search</c> reports, and what the device saw.
/// </summary>
/// <param name="Search">What the search gave and cost.</param>
/// <param name="MeanQueueDepth">Mean number of reads in flight, all threads together, over time.</param>
/// <param name="SystemCallsPerRead">System calls of the device queues a read.</param>
/// <param name="DeviceIops">Reads a second that the device can serve; null if that is not known.</param>
internal sealed record SearchBenchRow(SearchResultRow Search, double MeanQueueDepth, double SystemCallsPerRead, double? DeviceIops)
{
    /// <summary>Reads a second of all queries together.</summary>
    public double ReadsPerSecond => Search.Qps * Search.ReadsPerQuery;

    /// <summary>The share of the reads that the device can serve, 0 to 1; null if that is not known.</summary>
    public double? DeviceShare => ReadsPerSecond / DeviceIops;

    /// <summary>Condenses a measurement.</summary>
    public static SearchBenchRow Create(
        SearchMeasurement measured, double meanQueueDepth, IndexKind kind, SearchSetting setting, double? recall, int queriesInFlight,
        string device,
        double? deviceIops) => new(
        SearchResultRow.Create(measured, kind, setting, recall, queriesInFlight, device),
        meanQueueDepth,
        measured.Device is { } counts ? counts.SystemCalls / Math.Max(1.0, counts.Reads) : 0,
        deviceIops);

    /// <summary>Names and values of the columns, in order: the same in JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        .. Search.ToColumns(),
        new("mean_queue_depth", MeanQueueDepth),
        new("syscalls_per_read", SystemCallsPerRead),
        new("reads_per_second", ReadsPerSecond),
        new("device_share", DeviceShare),
    ];
}

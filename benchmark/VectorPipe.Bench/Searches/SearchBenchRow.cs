using System.Text.Json.Nodes;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>The figures of one mode, number of threads and setting: those of the tool, and those of the device.</summary>
/// <param name="MeanQueueDepth">Mean number of reads in flight of all threads together.</param>
/// <param name="DeviceIops">Most reads per second of the device; null if unknown.</param>
internal sealed record SearchBenchRow(SearchResultRow Search, double MeanQueueDepth, double SystemCallsPerRead, double? DeviceIops)
{
    /// <summary>Reads per second of all queries together.</summary>
    public double ReadsPerSecond => Search.Qps * Search.ReadsPerQuery;

    /// <summary>Reads per second as a share of the device's; null if unknown.</summary>
    public double? DeviceShare => ReadsPerSecond / DeviceIops;

    public static SearchBenchRow Create(
        SearchMeasurement measured, double meanQueueDepth, IndexKind kind, SearchSetting setting, double? recall, int queriesInFlight,
        string device, double? deviceIops) => new(
        SearchResultRow.Create(measured, kind, setting, recall, queriesInFlight, device), meanQueueDepth,
        measured.Device is { } counts ? counts.SystemCalls / Math.Max(1.0, counts.Reads) : 0, deviceIops);

    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        .. Search.ToColumns(),
        new("mean_queue_depth", MeanQueueDepth),
        new("syscalls_per_read", SystemCallsPerRead),
        new("reads_per_second", ReadsPerSecond),
        new("device_share", DeviceShare),
    ];
}

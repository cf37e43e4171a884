using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Runs;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Servers;

/// <summary>The figures of a run.</summary>
/// <param name="Connections">Connections that searched.</param>
/// <param name="Run">Searches that were answered with hits.</param>
/// <param name="Refused">Searches that were answered with BUSY.</param>
/// <param name="Recall">Share of the true nearest that was found; null without the truth.</param>
/// <param name="Costs">What it cost the server.</param>
internal sealed record ServerResultRow(
    int Connections, RunMeasurement Run, LatencyHistogram Refused, double? Recall, ServerCosts Costs)
{
    // Unknown if none was answered.
    private double? CpuUs => Run.Operations == 0 ? null : Costs.CpuSeconds * 1e6 / Run.Operations;

    private double? AllocatedBytes => Run.Operations == 0 ? null : Costs.AllocatedBytes / Run.Operations;

    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("connections", Connections),
        new("ops", Run.Operations),
        new("ops_per_second", Run.OperationsPerSecond),
        .. Run.Latencies.ToColumns(),
        new("recall", Recall),
        new("refused", Refused.Count),
        new("refused_p99_us", Refused.Count == 0 ? null : Refused.PercentileNs(0.99) / 1e3),
        new("server_cpu_us", CpuUs),
        new("server_allocated_bytes", AllocatedBytes),
        new("server_memory_bytes", Costs.MemoryBytes),
        new("errors", 0),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<ServerResultRow> rows) => FigureTable.Create(
        rows, startsWithName: false,
        [
            ("connections", row => $"{row.Connections}"),
            ("searches/s", row => $"{row.Run.OperationsPerSecond:F0}"),
            .. LatencyCells.Of<ServerResultRow>(row => row.Run.Latencies),
            ("recall", row => row.Recall is { } recall ? $"{recall:F4}" : ""),
            ("refused", row => $"{row.Refused.Count}"),
            ("refused p99 µs", row => row.Refused.Count == 0 ? "" : $"{row.Refused.PercentileNs(0.99) / 1e3:F0}"),
            ("server cpu µs", row => row.CpuUs is { } us ? $"{us:F0}" : ""),
            ("server B/search", row => row.AllocatedBytes is { } bytes ? $"{bytes:F0}" : ""),
            ("server MiB", row => row.Costs.MemoryBytes is { } bytes ? $"{bytes / (1 << 20):F0}" : ""),
        ]);
}

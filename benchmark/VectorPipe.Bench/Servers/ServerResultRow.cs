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

    // Of searches that a server has counted, passed on ones once.
    private double? Reads => Costs.Reads.Sum() / Costs.Searches.Sum() is { } reads && double.IsFinite(reads) ? reads : null;

    private IEnumerable<double?> ReadsPerSecond => Costs.Reads.Select(reads => reads / Run.Operations * Run.OperationsPerSecond);

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
        new("reads", Reads),
        new("reads_per_second", string.Join(' ', ReadsPerSecond.Select(Cell))),
        new("errors", 0),
    ];

    private static string Cell(double? reads) => reads is { } known && double.IsFinite(known) ? $"{known:F0}" : "?";

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
            ("reads", row => row.Reads is { } reads ? $"{reads:F1}" : ""),
            ("reads/s", row => string.Join(' ', row.ReadsPerSecond.Select(Cell))),
            ("server MiB", row => row.Costs.MemoryBytes is { } bytes ? $"{bytes / (1 << 20):F0}" : ""),
        ]);
}

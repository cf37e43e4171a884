using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Runs;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Mixes;

/// <summary>The figures of an operation in a run, or of all of them, which alone have costs.</summary>
/// <param name="Kind">search, upsert, delete or all.</param>
/// <param name="WorstP99Ns">The 99th percentile of the worst second; null for all operations together.</param>
/// <param name="WrittenBytesPerByte">Bytes written to storage for each byte of key and vector of the upserts; null if unknown.</param>
internal sealed record MixResultRow(
    int Threads, string Kind, LatencyHistogram Latencies, double OperationsPerSecond, double? WorstP99Ns, double? WrittenBytesPerByte,
    MixCosts? Costs, RunMeasurement? Run)
{
    /// <summary>The columns of JSON and CSV. The first error ends a run, so a row has none.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("kind", Kind),
        new("threads", Threads),
        new("ops", Latencies.Count),
        new("ops_per_second", OperationsPerSecond),
        .. Latencies.ToColumns(),
        new("worst_second_p99_us", WorstP99Ns / 1e3),
        new("bytes_written", Costs?.WrittenBytes),
        new("bytes_written_per_byte", WrittenBytesPerByte),
        new("rebuilds", Costs?.Rebuilds),
        new("records", Costs?.Status?.Count),
        new("waiting_writes", Costs?.Status?.Waiting),
        new("cpu_seconds", Run?.CpuSeconds),
        new("allocated_bytes", Run?.AllocatedBytes),
        new("gcs", Run?.Collections),
        new("gc_paused_seconds", Run?.PausedSeconds),
        new("errors", 0),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<MixResultRow> rows) => FigureTable.Create(
        rows, startsWithName: true,
        [
            ("operation", row => row.Kind),
            ("threads", row => $"{row.Threads}"),
            ("ops", row => $"{row.Latencies.Count}"),
            ("ops/s", row => $"{row.OperationsPerSecond:F0}"),
            .. LatencyCells.Of<MixResultRow>(row => row.Latencies),
            ("worst second's p99 µs", row => row.WorstP99Ns is { } ns ? $"{ns / 1e3:F1}" : ""),
            ("written/byte", row => row.WrittenBytesPerByte is { } bytes ? $"{bytes:F2}" : ""),
            ("rebuilds", row => $"{row.Costs?.Rebuilds}"),
            ("records", row => $"{row.Costs?.Status?.Count}"),
            ("waiting", row => $"{row.Costs?.Status?.Waiting}"),
        ]);
}

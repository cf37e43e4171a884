using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Overloads;

/// <summary>The searches of a round that were answered, or those that were refused.</summary>
/// <param name="Kind">saturated (as many callers as may wait), answered or refused.</param>
/// <param name="Callers">Who starts them: thread (one), or pool.</param>
/// <param name="Round">From 1 on.</param>
/// <param name="Latencies">From the call to the answer, or to the refusal.</param>
/// <param name="MemoryBytes">Physical memory of the process after the round.</param>
internal sealed record OverloadResultRow(string Kind, string Callers, int Round, LatencyHistogram Latencies, long MemoryBytes)
{
    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("kind", Kind),
        new("callers", Callers),
        new("round", Round),
        new("ops", Latencies.Count),
        .. Latencies.ToColumns(),
        new("memory_bytes", MemoryBytes),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<OverloadResultRow> rows) => FigureTable.Create(
        rows, startsWithName: true,
        [
            ("searches", row => row.Kind),
            ("callers", row => row.Callers),
            ("round", row => $"{row.Round}"),
            ("ops", row => $"{row.Latencies.Count}"),
            .. LatencyCells.Of<OverloadResultRow>(row => row.Latencies),
            ("memory MiB", row => $"{row.MemoryBytes / 1048576.0:F0}"),
        ]);
}

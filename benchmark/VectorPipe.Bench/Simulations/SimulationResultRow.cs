using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Simulations;

/// <summary>The figures of a simulation.</summary>
internal sealed record SimulationResultRow(SimulationPlan Plan, SimulationCounts Counts)
{
    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("nodes", Plan.Nodes),
        new("replicas", Plan.Replicas),
        new("rate_of_node", Plan.RatePerNode),
        new("hedging", Plan.IsHedged ? "on" : "off"),
        .. Counts.ToColumns(),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<SimulationResultRow> rows) => FigureTable.Create(
        rows, startsWithName: false,
        [
            ("nodes", row => $"{row.Plan.Nodes}"),
            ("replicas", row => $"{row.Plan.Replicas}"),
            ("hedging", row => row.Plan.IsHedged ? "on" : "off"),
            ("offered/s", row => $"{row.Counts.OfferedPerSecond:F0}"),
            ("answered/s", row => $"{row.Counts.AnsweredPerSecond:F0}"),
            ("p50 ms", row => Ms(row.Counts.Latencies.PercentileNs(0.5))),
            ("p99 ms", row => Ms(row.Counts.Latencies.PercentileNs(0.99))),
            ("p99.9 ms", row => Ms(row.Counts.Latencies.PercentileNs(0.999))),
            ("passed p99", row => Ms(row.Counts.PassedOn.PercentileNs(0.99))),
            ("first s p99", row => row.Counts.AfterFailure.Count == 0 ? "" : Ms(row.Counts.AfterFailure.PercentileNs(0.99))),
            ("failed in it", row => $"{row.Counts.FailedFirst}"),
            ("failed later", row => $"{row.Counts.FailedLater}"),
            ("more calls", row => $"{100 * row.Counts.MoreCalls:F1} %"),
            ("busiest", row => $"{row.Counts.Busiest:F2}"),
        ]);

    private static string Ms(long ns) => $"{ns / 1e6:F2}";
}

using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Reports;

/// <summary>The columns of a table for latencies, in microseconds.</summary>
internal static class LatencyCells
{
    public static (string Heading, Func<TRow, string> Cell)[] Of<TRow>(Func<TRow, LatencyHistogram> latencies) =>
    [
        ("mean µs", row => $"{latencies(row).MeanNs / 1e3:F1}"),
        ("p50 µs", row => $"{latencies(row).PercentileNs(0.5) / 1e3:F1}"),
        ("p95 µs", row => $"{latencies(row).PercentileNs(0.95) / 1e3:F1}"),
        ("p99 µs", row => $"{latencies(row).PercentileNs(0.99) / 1e3:F1}"),
        ("p99.9 µs", row => $"{latencies(row).PercentileNs(0.999) / 1e3:F1}"),
        ("max µs", row => $"{latencies(row).GreatestNs / 1e3:F1}"),
    ];
}

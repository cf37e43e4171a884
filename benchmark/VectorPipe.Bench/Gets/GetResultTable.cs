using Spectre.Console;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Gets;

/// <summary>The figures of look-ups as a user sees them.</summary>
internal static class GetResultTable
{
    /// <summary>A line a row.</summary>
    public static Table Create(IEnumerable<GetResultRow> rows)
    {
        var table = new Table();
        string[] columns =
            ["threads", "batch", "ops/s", "reads/op", "mean µs", "p50 µs", "p95 µs", "p99 µs", "p99.9 µs", "max µs", "queue", "calls/read",
            "cpu µs/op", "B/op", "GCs"];
        foreach (string column in columns)
            table.AddColumn(column, c => c.RightAligned());
        foreach (GetResultRow row in rows)
        {
            LatencyHistogram latencies = row.Run.Latencies;
            double operations = Math.Max(1, row.Run.Operations);
            table.AddRow(
                $"{row.Threads}",
                $"{row.BatchSize}",
                $"{row.Run.OperationsPerSecond:F0}",
                $"{row.ReadsPerOperation:F3}",
                $"{latencies.MeanNs / 1e3:F1}",
                $"{latencies.PercentileNs(0.5) / 1e3:F1}",
                $"{latencies.PercentileNs(0.95) / 1e3:F1}",
                $"{latencies.PercentileNs(0.99) / 1e3:F1}",
                $"{latencies.PercentileNs(0.999) / 1e3:F1}",
                $"{latencies.GreatestNs / 1e3:F1}",
                $"{row.Run.MeanQueueDepth:F1}",
                $"{row.Run.SystemCalls / (double)Math.Max(1, row.Run.Reads):F3}",
                $"{row.Run.CpuSeconds * 1e6 / operations:F2}",
                $"{row.Run.AllocatedBytes / operations:F3}",
                $"{row.Run.Collections}");
        }

        return table;
    }
}

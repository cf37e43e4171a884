using Spectre.Console;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Reads;

/// <summary>The figures of a device as a user sees them.</summary>
internal static class ReadResultTable
{
    /// <summary>A line a row.</summary>
    public static Table Create(IEnumerable<ReadResultRow> rows)
    {
        var table = new Table();
        string[] columns =
            ["threads", "depth", "IOPS", "mean µs", "p50 µs", "p95 µs", "p99 µs", "p99.9 µs", "max µs", "queue", "calls/read",
            "cpu µs/read", "B/read", "GCs", "pipeline ns", "verify ns", "copy ns"];
        foreach (string column in columns)
            table.AddColumn(column, c => c.RightAligned());
        foreach (ReadResultRow row in rows)
        {
            LatencyHistogram latencies = row.Run.Latencies;
            double reads = Math.Max(1, row.Run.Operations);
            table.AddRow(
                $"{row.Threads}",
                $"{row.Depth}",
                $"{row.Iops:F0}",
                $"{latencies.MeanNs / 1e3:F1}",
                $"{latencies.PercentileNs(0.5) / 1e3:F1}",
                $"{latencies.PercentileNs(0.95) / 1e3:F1}",
                $"{latencies.PercentileNs(0.99) / 1e3:F1}",
                $"{latencies.PercentileNs(0.999) / 1e3:F1}",
                $"{latencies.GreatestNs / 1e3:F1}",
                $"{row.Run.MeanQueueDepth:F1}",
                $"{row.Run.SystemCalls / reads:F3}",
                $"{row.Run.CpuSeconds * 1e6 / reads:F2}",
                $"{row.Run.AllocatedBytes / reads:F3}",
                $"{row.Run.Collections}",
                row.PipelineNsPerRead is { } pipeline ? $"{pipeline:F0}" : "-",
                row.VerifyNsPerRead is { } verify ? $"{verify:F0}" : "-",
                row.CopyNsPerRead is { } copy ? $"{copy:F0}" : "-");
        }

        return table;
    }
}

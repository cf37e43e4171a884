using Spectre.Console;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>The figures of a sweep as a user sees them.</summary>
internal static class SearchBenchTable
{
    /// <summary>A line a row.</summary>
    public static Table Create(int k, IEnumerable<SearchBenchRow> rows)
    {
        var table = new Table();
        string[] columns =
            ["mode", "threads", "policy", "knob", $"recall@{k}", "QPS", "mean µs", "p50 µs", "p95 µs", "p99 µs", "p99.9 µs", "max µs",
            "reads", "cached", "rounds", "code dist.", "exact", "KiB read", "queue", "calls/read", "cpu µs", "compute µs", "reads/s",
            "of device", "B/query", "GCs"];
        foreach (string column in columns)
            table.AddColumn(column, c => c.RightAligned());
        foreach (SearchBenchRow row in rows)
        {
            SearchResultRow search = row.Search;
            table.AddRow(
                search.Mode,
                $"{search.Threads}",
                search.Setting.Policy ?? "-",
                search.Setting.Knob,
                search.Recall is { } recall ? $"{recall:F4}" : "-",
                $"{search.Qps:F0}",
                $"{search.MeanUs:F0}",
                $"{search.P50Us:F0}",
                $"{search.P95Us:F0}",
                $"{search.P99Us:F0}",
                $"{search.P999Us:F0}",
                $"{search.MaxUs:F0}",
                $"{search.ReadsPerQuery:F1}",
                $"{search.CacheHitRate:P1}",
                $"{search.RoundsPerQuery:F1}",
                $"{search.CodeDistancesPerQuery:F0}",
                $"{search.ExactDistancesPerQuery:F0}",
                $"{search.BytesPerQuery / 1024:F1}",
                $"{row.MeanQueueDepth:F1}",
                $"{row.SystemCallsPerRead:F3}",
                $"{search.CpuUsPerQuery:F0}",
                $"{search.ComputeUsPerQuery:F0}",
                $"{row.ReadsPerSecond:F0}",
                row.DeviceShare is { } share ? $"{share:P0}" : "-",
                $"{search.AllocatedBytesPerQuery:F1}",
                $"{search.Collections}");
        }

        return table;
    }
}

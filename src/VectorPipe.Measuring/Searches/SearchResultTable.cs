using Spectre.Console;

namespace VectorPipe.Measuring.Searches;

/// <summary>The figures of a search as a user sees them.</summary>
internal static class SearchResultTable
{
    /// <summary>A line a setting.</summary>
    public static Table Create(int k, IReadOnlyList<SearchResultRow> rows)
    {
        var table = new Table();
        string[] columns =
            [rows[0].Setting.Heading, $"recall@{k}", "QPS", "mean µs", "p50 µs", "p95 µs", "p99 µs", "p99.9 µs", "max µs", "reads",
                "KiB read", "cached", "rounds", "code dist.", "exact", "CPU µs"];
        foreach (string column in columns)
            table.AddColumn(column, c => c.RightAligned());
        foreach (SearchResultRow row in rows)
        {
            table.AddRow(
                row.Setting.Knob,
                row.Recall is { } recall ? $"{recall:F4}" : "-",
                $"{row.Qps:F0}",
                $"{row.MeanUs:F0}",
                $"{row.P50Us:F0}",
                $"{row.P95Us:F0}",
                $"{row.P99Us:F0}",
                $"{row.P999Us:F0}",
                $"{row.MaxUs:F0}",
                $"{row.ReadsPerQuery:F1}",
                $"{row.BytesPerQuery / 1024:F1}",
                $"{row.CacheHitRate:P1}",
                $"{row.RoundsPerQuery:F1}",
                $"{row.CodeDistancesPerQuery:F0}",
                $"{row.ExactDistancesPerQuery:F0}",
                $"{row.CpuUsPerQuery:F0}");
        }

        return table;
    }
}

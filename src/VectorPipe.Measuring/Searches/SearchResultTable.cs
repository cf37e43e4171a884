using Spectre.Console;

namespace VectorPipe.Measuring.Searches;

/// <summary>The figures of a search as a user sees them.</summary>
internal static class SearchResultTable
{
    /// <summary>A line a list size.</summary>
    public static Table Create(int k, IEnumerable<SearchResultRow> rows)
    {
        var table = new Table();
        string[] columns =
            ["L", $"recall@{k}", "QPS", "mean µs", "p50 µs", "p95 µs", "p99 µs", "p99.9 µs", "reads", "hops"];
        foreach (string column in columns)
            table.AddColumn(column, c => c.RightAligned());
        foreach (SearchResultRow row in rows)
        {
            table.AddRow(
                $"{row.ListSize}",
                row.Recall is { } recall ? $"{recall:F4}" : "-",
                $"{row.Qps:F0}",
                $"{row.MeanUs:F0}",
                $"{row.P50Us:F0}",
                $"{row.P95Us:F0}",
                $"{row.P99Us:F0}",
                $"{row.P999Us:F0}",
                $"{row.ReadsPerQuery:F1}",
                $"{row.HopsPerQuery:F1}");
        }

        return table;
    }
}

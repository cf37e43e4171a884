using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Measuring.Searches;

/// <summary>The table of a search, a line for each setting.</summary>
internal static class SearchResultTable
{
    public static Table Create(int k, IReadOnlyList<SearchResultRow> rows) => FigureTable.Create(
        rows, startsWithName: false,
        (rows[0].Setting.Heading, row => row.Setting.Knob),
        ($"recall@{k}", row => row.Recall is { } recall ? $"{recall:F4}" : "-"),
        ("QPS", row => $"{row.Qps:F0}"),
        ("mean µs", row => $"{row.MeanUs:F0}"),
        ("p50 µs", row => $"{row.P50Us:F0}"),
        ("p95 µs", row => $"{row.P95Us:F0}"),
        ("p99 µs", row => $"{row.P99Us:F0}"),
        ("p99.9 µs", row => $"{row.P999Us:F0}"),
        ("max µs", row => $"{row.MaxUs:F0}"),
        ("reads", row => $"{row.ReadsPerQuery:F1}"),
        ("KiB read", row => $"{row.BytesPerQuery / 1024:F1}"),
        ("cached", row => $"{row.CacheHitRate:P1}"),
        ("rounds", row => $"{row.RoundsPerQuery:F1}"),
        ("code dist.", row => $"{row.CodeDistancesPerQuery:F0}"),
        ("exact", row => $"{row.ExactDistancesPerQuery:F0}"),
        ("CPU µs", row => $"{row.CpuUsPerQuery:F0}"));
}

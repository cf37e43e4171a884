using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Filters;

/// <summary>The figures of the queries with filters of one shape and share of matches.</summary>
internal sealed record FilterResultRow
{
    /// <summary>The shape of the filters; none without a filter.</summary>
    public required string Shape { get; init; }

    /// <summary>The share of rows that match, in the mean of the queries.</summary>
    public required double Selectivity { get; init; }

    /// <summary>How most queries were searched.</summary>
    public required string Strategy { get; init; }

    /// <summary>The share of the exact answers that was found.</summary>
    public required double Recall { get; init; }

    public required double ReadsPerQuery { get; init; }

    public required double CodeDistancesPerQuery { get; init; }

    public required double ExactDistancesPerQuery { get; init; }

    public required double Qps { get; init; }

    /// <summary>Milliseconds from the first use of a filter to its matches, in the mean of the filters.</summary>
    public required double ResolveMs { get; init; }

    /// <summary>Queries with fewer hits than k although more rows match.</summary>
    public required int Short { get; init; }

    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("shape", Shape),
        new("selectivity", Selectivity),
        new("strategy", Strategy),
        new("recall", Recall),
        new("reads_per_query", ReadsPerQuery),
        new("code_distances_per_query", CodeDistancesPerQuery),
        new("exact_distances_per_query", ExactDistancesPerQuery),
        new("qps", Qps),
        new("resolve_ms", ResolveMs),
        new("short_queries", Short),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<FilterResultRow> rows) => FigureTable.Create(
        rows, startsWithName: true,
        ("shape", row => row.Shape),
        ("selectivity", row => $"{row.Selectivity:0.######}"),
        ("strategy", row => row.Strategy),
        ("recall", row => $"{row.Recall:F4}"),
        ("reads", row => $"{row.ReadsPerQuery:F2}"),
        ("code distances", row => $"{row.CodeDistancesPerQuery:F0}"),
        ("exact distances", row => $"{row.ExactDistancesPerQuery:F0}"),
        ("queries/s", row => $"{row.Qps:F0}"),
        ("resolve ms", row => $"{row.ResolveMs:F1}"),
        ("short", row => $"{row.Short}"));
}

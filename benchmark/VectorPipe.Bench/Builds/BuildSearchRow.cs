using VectorPipe.Measuring.Searches;
using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Builds;

/// <summary>The figures of a mode and setting on the index of a variant, beside those on the index of the first one.</summary>
/// <param name="Variant">Whose index was searched.</param>
/// <param name="Search">What the search gave and cost.</param>
/// <param name="First">What the same search of the first variant's index gave and cost; null if its index was not searched that
/// way.</param>
internal sealed record BuildSearchRow(BuildVariant Variant, SearchResultRow Search, SearchResultRow? First)
{
    /// <summary>Recall in percentage points above that of the first variant; null without a truth.</summary>
    public double? RecallDifferencePoints => Difference.Points(Search.Recall, First?.Recall);

    /// <summary>Reads of a query, in per cent above those of the first variant.</summary>
    public double? ReadsDifferencePercent => Difference.Percent(Search.ReadsPerQuery, First?.ReadsPerQuery);

    /// <summary>Mean latency, in per cent above that of the first variant.</summary>
    public double? LatencyDifferencePercent => Difference.Percent(Search.MeanUs, First?.MeanUs);

    /// <summary>Names and values of the columns, in order: the same in JSON and CSV.</summary>
    public Columns ToColumns() =>
    [
        .. BuildResultRow.KeyColumns("search", Variant),
        .. Search.ToColumns(),
        new("recall_difference_points", RecallDifferencePoints),
        new("reads_difference_percent", ReadsDifferencePercent),
        new("mean_us_difference_percent", LatencyDifferencePercent),
    ];
}

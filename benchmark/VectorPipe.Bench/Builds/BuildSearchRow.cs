using VectorPipe.Measuring.Searches;
using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Builds;

/// <summary>The figures of a search on the index of a variant, compared with the index of the first variant.</summary>
/// <param name="First">The same search on the index of the first variant; null if there is none.</param>
internal sealed record BuildSearchRow(BuildVariant Variant, SearchResultRow Search, SearchResultRow? First)
{
    /// <summary>Difference of recall in percentage points; null without a truth.</summary>
    public double? RecallDifferencePoints => Difference.Points(Search.Recall, First?.Recall);

    public double? ReadsDifferencePercent => Difference.Percent(Search.ReadsPerQuery, First?.ReadsPerQuery);

    public double? LatencyDifferencePercent => Difference.Percent(Search.MeanUs, First?.MeanUs);

    /// <summary>The columns of JSON and CSV.</summary>
    public Columns ToColumns() =>
    [
        .. BuildResultRow.KeyColumns("search", Variant),
        .. Search.ToColumns(),
        new("recall_difference_points", RecallDifferencePoints),
        new("reads_difference_percent", ReadsDifferencePercent),
        new("mean_us_difference_percent", LatencyDifferencePercent),
    ];
}

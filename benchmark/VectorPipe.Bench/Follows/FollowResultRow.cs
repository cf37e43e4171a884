using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Follows;

/// <summary>Recall and reads of a target recall, with the calibration of the build and with that of the queries.</summary>
/// <param name="Target">The recall that was aimed at.</param>
/// <param name="Built">What is found with the calibration of the build.</param>
/// <param name="Followed">What is found when the index has followed other queries of the kind.</param>
internal sealed record FollowResultRow(float Target, FoundShare Built, FoundShare Followed)
{
    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("target_recall", Target),
        new("recall_built", Built.Recall),
        new("reads_built", Built.Reads),
        new("recall_followed", Followed.Recall),
        new("reads_followed", Followed.Reads),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<FollowResultRow> rows) => FigureTable.Create(
        rows, startsWithName: false,
        [
            ("target", row => $"{row.Target:0.####}"),
            ("recall, built", row => $"{row.Built.Recall:F3}"),
            ("reads, built", row => $"{row.Built.Reads:F1}"),
            ("recall, followed", row => $"{row.Followed.Recall:F3}"),
            ("reads, followed", row => $"{row.Followed.Reads:F1}"),
        ]);
}

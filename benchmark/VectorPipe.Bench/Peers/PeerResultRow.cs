using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Peers;

/// <summary>What a library reached with a setting.</summary>
/// <param name="Library">Its name.</param>
/// <param name="Setting">The setting, as it names it.</param>
/// <param name="Threads">Search threads.</param>
/// <param name="Recall">Recall@k.</param>
/// <param name="Qps">Queries per second of each pass that counts, at least one.</param>
internal sealed record PeerResultRow(string Library, string Setting, int Threads, double Recall, IReadOnlyList<double> Qps)
{
    /// <summary>The median, of an even number the lower of the two in the middle.</summary>
    public double MedianQps => Qps.Order().ElementAt((Qps.Count - 1) / 2);

    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("library", Library),
        new("setting", Setting),
        new("threads", Threads),
        new("recall", Recall),
        new("qps", MedianQps),
        new("least_qps", Qps.Min()),
        new("most_qps", Qps.Max()),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<PeerResultRow> rows) => FigureTable.Create(
        rows, startsWithName: true,
        [
            ("library", row => row.Library),
            ("setting", row => row.Setting),
            ("threads", row => $"{row.Threads}"),
            ("recall", row => $"{row.Recall:F4}"),
            ("QPS", row => $"{row.MedianQps:F0}"),
            ("least", row => $"{row.Qps.Min():F0}"),
            ("most", row => $"{row.Qps.Max():F0}"),
        ]);
}

using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe calibrate</c>.</summary>
internal static class CalibrateCommand
{
    public static async Task<int> RunAsync(CalibrateArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        UsageException.Require(arguments.Queries is >= 100 and <= 100_000, "--queries", arguments.Queries, "100 to 100000");
        IndexInfo info = await console.WithProgressAsync(
            progress => VectorIndex.CalibrateAsync(arguments.Index, arguments.Queries, progress, console.Logging, cancellationToken));
        console.Write(CreateTable(info));
        await console.WriteDocumentAsync(new JsonObject { ["calibration"] = new JsonArray([.. ToRows(info)]) }, ToRows(info));
        return ExitCodes.Ok;
    }

    /// <summary>The calibration of an index, for JSON and CSV.</summary>
    public static IEnumerable<JsonObject> ToRows(IndexInfo info) => info.Calibration.Select(point => new JsonObject
    {
        [info.Kind == IndexKind.Ivf ? "probes" : "threshold"] = Math.Round(point.Threshold, 6),
        ["recall"] = point.Recall,
        [info.Kind == IndexKind.Ivf ? "pages" : "reads"] = point.Reads,
    });

    /// <summary>The calibration of an index.</summary>
    public static Table CreateTable(IndexInfo info)
    {
        bool isIvf = info.Kind == IndexKind.Ivf;
        return FigureTable.Create(
            info.Calibration, startsWithName: false,
            (isIvf ? "probes" : "gain", point => $"{point.Threshold:G3}"),
            ("recall@10", point => $"{point.Recall:F4}"),
            (isIvf ? "pages" : "reads", point => $"{point.Reads:F1}"));
    }
}

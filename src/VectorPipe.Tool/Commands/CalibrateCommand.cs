using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe calibrate</c>.</summary>
internal static class CalibrateCommand
{
    public static async Task<int> RunAsync(CalibrateArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        IndexInfo info = arguments.Query is { } file
            ? await CalibrateAsync(arguments, file, console, cancellationToken)
            : await CalibrateAsync(arguments, arguments.Queries ?? 400, console, cancellationToken);
        console.Write(CreateTable(info));
        await console.WriteDocumentAsync(new JsonObject { ["calibration"] = new JsonArray([.. ToRows(info)]) }, ToRows(info));
        return ExitCodes.Ok;
    }

    private static Task<IndexInfo> CalibrateAsync(
        CalibrateArguments arguments, int queries, ToolConsole console, CancellationToken cancellationToken)
    {
        UsageException.Require(queries is >= 100 and <= 100_000, "--queries", queries, "100 to 100000");
        return console.WithProgressAsync(
            progress => VectorIndex.CalibrateAsync(arguments.Index, queries, progress, console.Logging, cancellationToken));
    }

    private static async Task<IndexInfo> CalibrateAsync(
        CalibrateArguments arguments, string file, ToolConsole console, CancellationToken cancellationToken)
    {
        UsageException.Require(arguments.Queries is null, "--queries", arguments.Queries!, "none beside --query: all of the file count");
        await using VectorSource queries = await VectorInput.OpenQueriesAsync(file, console, cancellationToken);
        UsageException.Require(
            queries.Count is >= 100 and <= 100_000, "--query", $"{queries.Count} queries in '{file}'", "100 to 100000 queries");
        return await console.WithProgressAsync(
            progress => VectorIndex.CalibrateAsync(arguments.Index, queries, progress, console.Logging, cancellationToken));
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

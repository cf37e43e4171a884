using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe calibrate</c>.</summary>
internal static class CalibrateCommand
{
    /// <summary>Calibrates the index and shows what came out.</summary>
    public static async Task<int> RunAsync(CalibrateArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        UsageException.Require(arguments.Queries is >= 100 and <= 100_000, "--queries", arguments.Queries, "100 to 100000");
        IndexInfo info = await console.WithProgressAsync(
            progress => VectorIndex.CalibrateAsync(arguments.Index, arguments.Queries, progress, console.Logging, cancellationToken));
        console.Write(CreateTable(info));
        return ExitCodes.Ok;
    }

    /// <summary>What searches by gain, or of lists, found and cost.</summary>
    public static Table CreateTable(IndexInfo info)
    {
        var table = new Table();
        string[] columns = info.Kind == IndexKind.Ivf ? ["probes", "recall@10", "pages"] : ["gain", "recall@10", "reads"];
        foreach (string column in columns)
            table.AddColumn(column, c => c.RightAligned());
        foreach (IndexCalibrationPoint point in info.Calibration)
            table.AddRow($"{point.Threshold:G3}", $"{point.Recall:F4}", $"{point.Reads:F1}");
        return table;
    }
}

using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe export</c>.</summary>
internal static class ExportCommand
{
    /// <summary>Writes the files and names them.</summary>
    public static async Task<int> RunAsync(ExportArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        OutputFile.RequireFolder(arguments.Out);
        UsageException.Require(arguments.WithGraph is null or "on" or "off", "--with-graph", arguments.WithGraph, "on or off");
        var exporter = new IndexExporter(arguments.Index) { WithGraph = arguments.WithGraph is null ? null : arguments.WithGraph == "on" };
        IndexExportReport report = await console.WithProgressAsync(progress => exporter.ExportAsync(arguments.Out, progress, cancellationToken));
        foreach (string file in new[] { report.VectorFile, report.KeyFile, report.GraphFile }.OfType<string>())
            console.WriteLine(file);
        console.WriteLine($"{report.Points} points");
        return ExitCodes.Ok;
    }
}

using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe import</c>.</summary>
internal static class ImportCommand
{
    /// <summary>Imports the index and reports what it is.</summary>
    public static async Task<int> RunAsync(ImportArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        var options = new DiskAnnImportOptions
        {
            Metric = Choices.Metric(arguments.Metric),
            ElementType = arguments.Type is null ? null : Choices.ElementType(arguments.Type),
        };
        var importer = new DiskAnnImporter(arguments.Out, options);
        DiskAnnImportReport report = await console.WithProgressAsync(progress => importer.ImportAsync(arguments.Prefix, progress, cancellationToken));

        Table table = new Table().AddColumn("phase").AddColumn("wall s", c => c.RightAligned()).AddColumn("cpu s", c => c.RightAligned());
        foreach (BuildPhase phase in report.Phases)
            table.AddRow(Markup.Escape(phase.Name), $"{phase.WallSeconds:F2}", $"{phase.CpuSeconds:F2}");
        console.Write(table);
        console.WriteLine($"{report.Points} points of dimension {report.Dimension} ({report.ElementType}), degree {report.MaxDegree} at most and {report.MeanDegree:F1} in the mean, entry point {report.EntryPoint}");
        console.WriteLine($"{report.CodeBytes} bytes a code, {report.IndexBytes} bytes on disk");
        foreach (string note in report.Notes)
            console.WriteLine($"note: {note}");
        return ExitCodes.Ok;
    }
}

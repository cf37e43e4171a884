using System.Text.Json.Nodes;
using VectorPipe.Formats;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe import</c>.</summary>
internal static class ImportCommand
{
    public static async Task<int> RunAsync(ImportArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        DistanceMetric metric = Choices.Metric(arguments.Metric);
        VectorElementType? type = arguments.Type is null ? null : Choices.ElementType(arguments.Type);
        var importer = new DiskAnnImporter(arguments.Out, console.Logging);
        BuildReport report =
            await console.WithProgressAsync(progress => importer.ImportAsync(arguments.Prefix, metric, type, progress, cancellationToken));

        IndexInfo info = VectorIndex.Inspect(arguments.Out);
        console.Write(PhaseTable.Create(report));
        string points = $"{report.Points} points of dimension {report.Dimension} ({info.ElementType})";
        console.WriteLine($"{points}, mean degree {report.MeanDegree:F1}");
        console.WriteLine($"{info.MemoryBytes} bytes in memory, {report.IndexBytes} bytes on disk");
        foreach (string note in report.Notes)
            console.WriteLine($"note: {note}");
        await console.WriteDocumentAsync(
            new JsonObject
            {
                ["points"] = report.Points,
                ["dimension"] = report.Dimension,
                ["type"] = Choices.NameOf(info.ElementType),
                ["degree_mean"] = report.MeanDegree,
                ["memory_bytes"] = info.MemoryBytes,
                ["index_bytes"] = report.IndexBytes,
                ["phases"] = new JsonArray([.. PhaseTable.ToRows(report)]),
                ["notes"] = new JsonArray([.. report.Notes.Select(note => (JsonNode)note)]),
            },
            PhaseTable.ToRows(report));
        return ExitCodes.Ok;
    }
}

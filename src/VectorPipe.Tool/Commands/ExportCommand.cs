using System.Text.Json.Nodes;
using VectorPipe.Formats;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe export</c>.</summary>
internal static class ExportCommand
{
    public static async Task<int> RunAsync(ExportArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        OutputFile.RequireFolder(arguments.Out);
        bool? withGraph = Choices.OnOff("--with-graph", arguments.WithGraph);
        IReadOnlyList<string> files = await console.WithProgressAsync(
            progress => new IndexExporter(arguments.Index).ExportAsync(arguments.Out, withGraph, progress, cancellationToken));
        foreach (string file in files)
            console.WriteLine(file);
        long points = VectorIndex.Inspect(arguments.Index).Count;
        console.WriteLine($"{points} points");
        await console.WriteDocumentAsync(
            new JsonObject { ["points"] = points, ["files"] = new JsonArray([.. files.Select(file => (JsonNode)file)]) },
            files.Select(file => new JsonObject { ["file"] = file }));
        return ExitCodes.Ok;
    }
}

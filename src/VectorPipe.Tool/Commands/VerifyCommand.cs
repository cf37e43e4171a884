using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe verify</c>.</summary>
internal static class VerifyCommand
{
    /// <summary>Prints every defect; any defect is an error.</summary>
    public static async Task<int> RunAsync(VerifyArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        int threads = arguments.Threads ?? Environment.ProcessorCount;
        UsageException.Require(threads is >= 1 and <= 1024, "--threads", threads, "1 to 1024");
        VerifyReport report = await console.WithProgressAsync(
            progress => VectorCollection.Exists(arguments.Folder)
                ? VectorCollection.VerifyAsync(arguments.Folder, threads, progress, cancellationToken)
                : VectorIndex.VerifyAsync(arguments.Folder, threads, progress, cancellationToken: cancellationToken));
        foreach (string defect in report.Defects)
            console.WriteLine(defect);
        await console.WriteDocumentAsync(
            new JsonObject
            {
                ["pages"] = report.Pages,
                ["defects"] = new JsonArray([.. report.Defects.Select(defect => (JsonNode)defect)]),
            },
            [new JsonObject { ["pages"] = report.Pages, ["defects"] = report.Defects.Count }]);
        if (!report.IsSound)
        {
            throw new IndexCorruptException(
                arguments.Folder, $"expected {report.Pages} sound pages; found defects: {report.Defects.Count}");
        }

        console.WriteLine($"{report.Pages} pages, no defects");
        return ExitCodes.Ok;
    }
}

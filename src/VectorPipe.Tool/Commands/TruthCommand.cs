using System.Text.Json.Nodes;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe truth</c>.</summary>
internal static class TruthCommand
{
    public static async Task<int> RunAsync(TruthArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        DistanceMetric metric = Choices.Metric(arguments.Metric);
        int threads = arguments.Threads ?? Environment.ProcessorCount;
        UsageException.Require(threads is >= 1 and <= 1024, "--threads", threads, "1 to 1024");
        OutputFile.RequireFolder(arguments.Out);
        await using VectorSource vectors = await VectorInput.OpenBaseAsync(arguments.Base, console, cancellationToken);
        VectorMatrix queries = await VectorInput.LoadQueriesAsync("--query", arguments.Query, console, cancellationToken);
        await console.WithProgressAsync(async progress =>
        {
            await ExactNeighbours.WriteAsync(
                arguments.Base, vectors, queries, arguments.Out, arguments.K, metric, threads, progress, cancellationToken);
            return true;
        });
        console.WriteLine($"truth: {arguments.Out}");
        await console.WriteDocumentAsync(new JsonObject
        {
            ["truth"] = arguments.Out,
            ["queries"] = queries.Count,
            ["k"] = arguments.K,
        });
        return ExitCodes.Ok;
    }
}

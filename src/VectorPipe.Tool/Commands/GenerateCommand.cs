using System.Text.Json.Nodes;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Data;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe generate</c>.</summary>
internal static class GenerateCommand
{
    public static async Task<int> RunAsync(GenerateArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        DistanceMetric metric = Choices.Metric(arguments.Metric);
        VectorElementType type = Choices.ElementType(arguments.Type);
        UsageException.Require(arguments.Points >= 1, "--points", arguments.Points, "1 or more");
        UsageException.Require(arguments.Queries >= 1, "--queries", arguments.Queries, "1 or more");
        UsageException.Require(arguments.Dimension is >= 1 and <= 32_768, "--dimension", arguments.Dimension, "1 to 32768");
        UsageException.Require(arguments.Clusters is >= 1 and <= 1_000_000, "--clusters", arguments.Clusters, "1 to 1000000");
        UsageException.Require(
            arguments.K >= 1 && arguments.K <= arguments.Points, "-k", arguments.K, $"1 to the points ({arguments.Points})");
        UsageException.Require(
            (long)arguments.Clusters * arguments.Dimension <= Array.MaxLength, "--clusters", arguments.Clusters,
            $"at most {Array.MaxLength} components of all centres");

        (string basePath, string queryPath, string truthPath) = CreatePaths(arguments.Out, type);
        var vectors = new ClusteredVectors(type, arguments.Dimension, arguments.Clusters, arguments.Seed);
        await console.WithProgressAsync(async progress =>
        {
            await vectors.WriteAsync(basePath, arguments.Points, ClusteredVectors.BaseStream, progress, cancellationToken);
            await vectors.WriteAsync(queryPath, arguments.Queries, ClusteredVectors.QueryStream, progress, cancellationToken);
            await ExactNeighbours.WriteAsync(
                basePath, queryPath, truthPath, arguments.K, metric, Environment.ProcessorCount, progress, cancellationToken);
            return true;
        });
        console.WriteLine($"base:  {basePath}");
        console.WriteLine($"query: {queryPath}");
        console.WriteLine($"truth: {truthPath}");
        await console.WriteDocumentAsync(new JsonObject
        {
            ["base"] = basePath,
            ["query"] = queryPath,
            ["truth"] = truthPath,
        });
        return ExitCodes.Ok;
    }

    private static (string Base, string Query, string Truth) CreatePaths(string target, VectorElementType type)
    {
        string extension = RowFile.ExtensionOf(type);
        bool isFolder = Path.EndsInDirectorySeparator(target) || Directory.Exists(target);
        string folder = isFolder ? target : Path.GetDirectoryName(Path.GetFullPath(target)) ?? target;
        Directory.CreateDirectory(folder);
        string prefix = !isFolder ? target + "." : Path.EndsInDirectorySeparator(target) ? target : target + Path.DirectorySeparatorChar;
        return (prefix + "base" + extension, prefix + "query" + extension, prefix + "truth.bin");
    }
}

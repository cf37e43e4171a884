using VectorPipe.Bench.Growing;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench grow</c>.</summary>
internal static class GrowBench
{
    public static async Task<int> RunAsync(GrowBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        VectorMatrix vectors = await VectorMatrix.LoadAsync("--base", arguments.Base, cancellationToken);
        arguments.Check(vectors);
        var file = new FileInfo(arguments.Base);
        string name = $"{file.Name}-{file.Length}-{file.LastWriteTimeUtc.Ticks}-{arguments.Metric}.grow.index";
        string directory = arguments.Index ?? Path.Combine(arguments.DataFolder, name);
        await arguments.WithProgressAsync(console, async progress =>
        {
            await using VectorIndex index = await OpenAsync(arguments, directory, console, progress, cancellationToken);
            vectors.RequireKind("--base", index.Info.ElementType, index.Info.Dimension, directory);
            UsageException.Require(
                index.Info.Count == vectors.Count, "--index", $"an index of {index.Info.Count} vectors", $"one of {vectors.Count}");
            UsageException.Require(
                index.Info.Metric == Choices.Metric(arguments.Metric), "--metric", arguments.Metric, $"that of '{directory}'");
            GrownVectors grown = await GrownVectors.PrepareAsync(
                index, vectors, arguments.Noise, arguments.Seed, progress, cancellationToken);
            await grown.WriteAsync(arguments.Out, arguments.Points, progress, cancellationToken);
            return true;
        });
        console.WriteLine($"{arguments.Points} vectors: {arguments.Out}");
        return ExitCodes.Ok;
    }

    // Finds the index of the base, or builds it. All of it is in memory: every vector is searched for.
    private static async Task<VectorIndex> OpenAsync(
        GrowBenchArguments arguments, string directory, ToolConsole console, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken)
    {
        IndexInfo info;
        try
        {
            info = VectorIndex.Inspect(directory);
        }
        catch (IndexNotFoundException)
        {
            await using VectorSource source = await VectorSource.OpenFileAsync(arguments.Base, cancellationToken);
            var options = new BuildOptions { Metric = Choices.Metric(arguments.Metric) };
            await VectorIndex.BuildAsync(directory, source, options, progress, console.Logging, cancellationToken);
            info = VectorIndex.Inspect(directory);
        }

        var open = new OpenOptions
        {
            Device = arguments.ToDeviceOptions(),
            CacheBytes = 2 * info.DiskBytes,
            LoggerFactory = console.Logging,
        };
        return await VectorIndex.OpenAsync(directory, open, progress, cancellationToken);
    }
}

using VectorPipe.Bench.Generation;
using VectorPipe.Formats;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Builds;

/// <summary>The files of vectors, queries and truth of a benchmark. Their contents stay on disk.</summary>
/// <param name="Base">Vectors to index.</param>
/// <param name="Query">The queries; may be null.</param>
/// <param name="Truth">Exact neighbours of the queries; may be null.</param>
internal sealed record BuildData(string Base, VectorElementType ElementType, int Dimension, string? Query, string? Truth)
{
    /// <summary>Finds the files of the dataset, or generates those that are missing in a folder.</summary>
    public static async Task<BuildData> PrepareAsync(
        DataBenchArguments arguments, string folder, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        (string basePath, string? query, string? truth) = arguments.Generate is null
            ? (arguments.Dataset!, arguments.Query, arguments.Truth)
            : await GenerateAsync(arguments, folder, progress, cancellationToken);
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(basePath, cancellationToken);
        UsageException.Require(
            query is null || arguments.K <= reader.Count, "-k", arguments.K, $"1 to {reader.Count}, the vectors in '{basePath}'");
        var data = new BuildData(basePath, reader.ElementType, reader.Dimension, query, truth);

        // Read them before hours of building, too: they may be invalid.
        if (query is not null)
            await data.LoadQueriesAsync(arguments, cancellationToken);
        return data;
    }

    public async Task<(VectorMatrix Queries, Recall? Recall)> LoadQueriesAsync(
        DataBenchArguments arguments, CancellationToken cancellationToken)
    {
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", Query!, cancellationToken);
        queries.RequireKind("--query", ElementType, Dimension, Base);
        if (Truth is null)
            return (queries, null);
        GroundTruth truth = await GroundTruth.LoadAsync(Truth, cancellationToken);
        return (queries, new Recall(truth, Truth, queries.Count, arguments.K, Choices.Metric(arguments.MetricName)));
    }

    private static async Task<(string Base, string? Query, string? Truth)> GenerateAsync(
        DataBenchArguments arguments, string folder, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        VectorElementType type = Choices.ElementType(arguments.Type);
        string extension = RowFile.ExtensionOf(type);
        string distribution = Path.Combine(folder, $"{arguments.Generate}-{arguments.Dimension}-{arguments.Type}-seed{arguments.Seed}");
        string basePath = $"{distribution}.base-{arguments.Points}{extension}";
        string query = $"{distribution}.query-{arguments.Queries}{extension}";
        string truth = $"{distribution}.truth-{arguments.MetricName}-{arguments.Points}-{arguments.Queries}-{arguments.K}.bin";
        var vectors = new SyntheticVectors(arguments.Generate!, type, arguments.Dimension, arguments.Seed);
        if (!File.Exists(basePath))
            await vectors.WriteAsync(basePath, arguments.Points, VectorStream.Base, progress, cancellationToken);
        if (!File.Exists(query))
            await vectors.WriteAsync(query, arguments.Queries, VectorStream.Query, progress, cancellationToken);
        if (!File.Exists(truth))
        {
            await ExactNeighbours.WriteAsync(
                basePath, query, truth, arguments.K, Choices.Metric(arguments.MetricName), Environment.ProcessorCount, progress,
                cancellationToken);
        }

        return (basePath, query, truth);
    }
}

namespace VectorPipe.Bench.Searches;

/// <summary>The files of a search, from the options or the prefix of the dataset.</summary>
/// <param name="Base">Vectors to build an index of; may be null.</param>
/// <param name="Truth">Exact neighbours of the queries; may be null.</param>
internal sealed record SearchFiles(string? Base, string Query, string? Truth)
{
    public static SearchFiles Find(SearchBenchArguments arguments)
    {
        string? dataset = arguments.Dataset;
        bool isFile = File.Exists(dataset);
        string? query = arguments.Query ?? (isFile ? null : First(dataset, ".query."));
        if (query is null)
            throw new UsageException($"--dataset: expected a prefix with a file '{dataset}.query.*', or a --query; found neither.");
        return new SearchFiles(
            isFile ? dataset : First(dataset, ".base."),
            query,
            arguments.Truth ?? (isFile ? null : First(dataset, ".truth.") ?? First(dataset, $".truth-{arguments.Metric}.")));
    }

    private static string? First(string? prefix, string part)
    {
        if (prefix is null)
            return null;
        string folder = Path.GetDirectoryName(Path.GetFullPath(prefix)) ?? ".";
        return Directory.Exists(folder)
            ? Directory.EnumerateFiles(folder, $"{Path.GetFileName(prefix)}{part}*").Order(StringComparer.Ordinal).FirstOrDefault()
            : null;
    }
}

using VectorPipe.Bench.Commands;

namespace VectorPipe.Bench.Searches;

/// <summary>The files that a search needs, as the options name them or the dataset's prefix implies them.</summary>
/// <param name="Base">Vectors that an index can be built of; null if there are none.</param>
/// <param name="Query">The queries.</param>
/// <param name="Truth">Their exact neighbours; null if there are none.</param>
internal sealed record SearchFiles(string? Base, string Query, string? Truth)
{
    /// <summary>Finds the files.</summary>
    /// <exception cref="UsageException">There are no queries.</exception>
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

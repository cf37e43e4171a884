using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Hits;

/// <summary>Where hits go, by the name of a file.</summary>
internal static class HitWriters
{
    public const string Extensions = ".ivecs, .npy, .parquet, .jsonl or .csv";

    /// <summary>Refuses a name that tells no format, and a folder that does not exist.</summary>
    /// <param name="path">Null for no file; "-" is standard output.</param>
    public static void Require(string? path)
    {
        if (path is null or OutputFile.StandardOutput)
            return;
        UsageException.Require(
            FormatOf(path) is ".ivecs" or ".npy" or ".parquet" or ".jsonl" or ".ndjson" or ".csv", "--out", $"'{path}'",
            $"a file whose name ends in {Extensions}, or -");
        OutputFile.RequireFolder(path);
    }

    /// <summary>Creates a writer, after <see cref="Require"/>; without a path, the console's format says what it writes.</summary>
    /// <exception cref="UsageException">The format cannot hold keys of the type, or what hits bring along.</exception>
    public static IHitWriter<TKey> Create<TKey>(string? path, ToolConsole console, HitShape shape)
        where TKey : notnull, IParsable<TKey>
    {
        if (path is null)
        {
            return console.Format == OutputFormat.Table
                ? new HitTable<TKey>(console, shape)
                : new HitLines<TKey>(console.Documents, console.Format, shape);
        }

        if (path == OutputFile.StandardOutput)
            return new HitLines<TKey>(console.Documents, OutputFormat.Json, shape);
        string format = FormatOf(path);
        if (format is ".jsonl" or ".ndjson" or ".csv")
            return new HitLines<TKey>(new StagedOutput(path), format == ".csv" ? OutputFormat.Csv : OutputFormat.Json, shape);
        UsageException.Require(
            shape.Include == Include.Key, "--include", "given", $"none beside {format}, which holds no more than keys: .jsonl and .csv do");
        if (format == ".parquet")
            return new HitColumns<TKey>(new StagedOutput(path));
        UsageException.Require(
            HitMatrix<TKey>.CanHold, "--out", $"'{path}' for keys of type {KeyText<TKey>.TypeName}",
            "a file whose name ends in .parquet, .jsonl or .csv, for keys that are no integers");
        return new HitMatrix<TKey>(new StagedOutput(path), format == ".ivecs", shape);
    }

    private static string FormatOf(string path) => Path.GetExtension(path).ToLowerInvariant();
}

using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Bench.Comparisons;

/// <summary>A report that another verb wrote: a file of configuration and results.</summary>
/// <param name="Configuration">The options and the machine; empty if the file has none.</param>
/// <param name="Rows">The results, at least one.</param>
internal sealed record ResultFile(string Path, JsonObject Configuration, IReadOnlyList<JsonObject> Rows)
{
    // Of two members of a name the later would silently win.
    private static readonly JsonDocumentOptions _strict = new() { AllowDuplicateProperties = false };

    /// <summary>The verb that measured; null if the file does not say.</summary>
    public string? Verb => Configuration["verb"]?.ToString();

    /// <summary>Reads a file.</summary>
    /// <exception cref="UsageException">It is no report.</exception>
    public static async Task<ResultFile> LoadAsync(string path, CancellationToken cancellationToken)
    {
        if (!File.Exists(path))
            throw new FileNotFoundException($"'{path}': expected a report of --json-output; found no such file.", path);
        JsonObject? document = Parse(path, await File.ReadAllTextAsync(path, cancellationToken)) as JsonObject;
        var rows = document?["results"] as JsonArray;
        Require(rows is not null, path, "an object with a list 'results'", "none");
        Require(rows!.Count > 0, path, "results", "an empty list");
        Require(rows.All(row => row is JsonObject), path, "objects as results", "something else");
        JsonNode? configuration = document!["configuration"];
        Require(configuration is null or JsonObject, path, "an object 'configuration'", "something else");
        return new ResultFile(path, configuration as JsonObject ?? [], [.. rows.Select(row => row!.AsObject())]);
    }

    private static JsonNode? Parse(string path, string text)
    {
        try
        {
            return JsonNode.Parse(text, nodeOptions: null, _strict);
        }
        catch (JsonException e)
        {
            throw new UsageException($"'{path}': expected JSON; found something else: {e.Message}", e);
        }
    }

    private static void Require(bool valid, string path, string expected, string found) =>
        UsageException.Require(valid, $"'{path}'", found, expected);
}

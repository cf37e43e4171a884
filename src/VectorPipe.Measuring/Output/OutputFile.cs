using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Measuring.Output;

/// <summary>Writes result files that the user asked for; null is no file, "-" is standard output.</summary>
internal static class OutputFile
{
    public const string StandardOutput = "-";

    private static readonly JsonWriterOptions _indented = new() { Indented = true };

    /// <summary>Refuses a path whose folder does not exist, so that hours of work do not end in this error.</summary>
    public static void RequireFolder(string? path)
    {
        if (path is null or StandardOutput)
            return;
        string folder = Path.GetDirectoryName(Path.GetFullPath(path)) ?? path;
        if (!Directory.Exists(folder))
            throw new DirectoryNotFoundException($"'{path}': expected an existing folder '{folder}'; found none.");
    }

    public static async Task WriteJsonAsync(string? path, JsonObject document, TextWriter output, CancellationToken cancellationToken)
    {
        if (path is null)
            return;
        using var stream = new MemoryStream();
        await using (var writer = new Utf8JsonWriter(stream, _indented))
            document.WriteTo(writer);
        stream.WriteByte((byte)'\n');
        if (path == StandardOutput)
            await output.WriteAsync(Encoding.UTF8.GetString(stream.ToArray()));
        else
            await File.WriteAllBytesAsync(path, stream.ToArray(), cancellationToken);
    }

    /// <summary>Writes rows of columns as comma-separated values. Names and values contain no commas.</summary>
    public static async Task WriteCsvAsync(
        string? path, IEnumerable<IReadOnlyList<KeyValuePair<string, JsonNode?>>> rows, TextWriter output,
        CancellationToken cancellationToken)
    {
        if (path is null)
            return;
        List<string> lines = [];
        foreach (IReadOnlyList<KeyValuePair<string, JsonNode?>> row in rows)
        {
            if (lines.Count == 0)
                lines.Add(string.Join(',', row.Select(column => column.Key)));
            lines.Add(string.Join(',', row.Select(column => column.Value?.ToString() ?? "")));
        }

        if (path != StandardOutput)
        {
            await File.WriteAllLinesAsync(path, lines, cancellationToken);
            return;
        }

        foreach (string line in lines)
            await output.WriteLineAsync(line);
    }
}

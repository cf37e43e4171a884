using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Measuring.Output;

/// <summary>Writes result files that the user asked for; null is no file, "-" is standard output.</summary>
internal static class OutputFile
{
    public const string StandardOutput = "-";

    private static readonly JsonWriterOptions _indented = new() { Indented = true };

    /// <summary>A document as indented text, with a line break at its end.</summary>
    public static byte[] Encode(JsonObject document)
    {
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream, _indented))
            document.WriteTo(writer);
        stream.WriteByte((byte)'\n');
        return stream.ToArray();
    }

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
        if (path == StandardOutput)
            await output.WriteAsync(Encoding.UTF8.GetString(Encode(document)));
        else
            await File.WriteAllBytesAsync(path, Encode(document), cancellationToken);
    }

    /// <summary>Writes rows of columns as comma-separated values.</summary>
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
                lines.Add(CsvLine.Of(row.Select(column => column.Key)));
            lines.Add(CsvLine.Of(row.Select(column => column.Value)));
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

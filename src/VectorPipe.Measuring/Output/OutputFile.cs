using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Measuring.Output;

/// <summary>Files with results that the user asked for; "-" stands for standard output.</summary>
internal static class OutputFile
{
    /// <summary>The path that stands for standard output.</summary>
    public const string StandardOutput = "-";

    private static readonly JsonWriterOptions _indented = new() { Indented = true };

    /// <summary>Refuses a path whose folder does not exist, before hours of work end in an error.</summary>
    /// <param name="path">The file to be; null if none was asked for.</param>
    /// <exception cref="DirectoryNotFoundException">The folder does not exist.</exception>
    public static void RequireFolder(string? path)
    {
        if (path is null or StandardOutput)
            return;
        string folder = Path.GetDirectoryName(Path.GetFullPath(path)) ?? path;
        if (!Directory.Exists(folder))
            throw new DirectoryNotFoundException($"'{path}': expected an existing folder '{folder}'; found none.");
    }

    /// <summary>Writes a JSON document, if one was asked for.</summary>
    /// <param name="path">The file; null if none was asked for.</param>
    /// <param name="document">The document.</param>
    /// <param name="output">Standard output.</param>
    /// <param name="cancellationToken">Ends the writing.</param>
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

    /// <summary>Writes a table of comma-separated values, if one was asked for. Names and values hold no commas.</summary>
    /// <param name="path">The file; null if none was asked for.</param>
    /// <param name="rows">Names and values of the columns, a row each.</param>
    /// <param name="output">Standard output.</param>
    /// <param name="cancellationToken">Ends the writing.</param>
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

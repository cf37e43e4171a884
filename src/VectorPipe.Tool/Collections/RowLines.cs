using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Collections;

/// <summary>Rows as they come: objects of JSON or CSV, one a line; nothing beside tables. Not thread-safe.</summary>
/// <param name="columns">Names that a row may have, in the order of CSV.</param>
internal sealed class RowLines(TextWriter output, OutputFormat format, IReadOnlyList<string> columns)
{
    // The lines are no part of a page of HTML: only what JSON demands is escaped.
    private static readonly JsonSerializerOptions _compact = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private bool _hasBegun;

    /// <summary>Rows on standard output, as the console's format has them.</summary>
    public RowLines(ToolConsole console, IReadOnlyList<string> columns)
        : this(console.Documents, console.Format, columns)
    {
    }

    public async Task WriteAsync(JsonObject row)
    {
        if (format == OutputFormat.Json)
            await output.WriteLineAsync(row.ToJsonString(_compact));
        if (format != OutputFormat.Csv)
            return;
        await BeginAsync();
        await output.WriteLineAsync(CsvLine.Of(columns.Select(name => row[name])));
    }

    /// <summary>Completes the rows: CSV has its line of names even if there are none.</summary>
    public Task CompleteAsync() => format == OutputFormat.Csv ? BeginAsync() : Task.CompletedTask;

    private async Task BeginAsync()
    {
        if (!_hasBegun)
            await output.WriteLineAsync(CsvLine.Of(columns));
        _hasBegun = true;
    }
}

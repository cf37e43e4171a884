using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Collections;

/// <summary>Rows of JSON, one a line, in a file; null is no file, "-" is standard output.</summary>
internal sealed class RowLines : IAsyncDisposable
{
    // The lines are no part of a page of HTML: only what JSON demands is escaped.
    private static readonly JsonSerializerOptions _compact = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly TextWriter? _writer;
    private readonly bool _isOwned;

    private RowLines(TextWriter? writer, bool isOwned)
    {
        _writer = writer;
        _isOwned = isOwned;
    }

    public static RowLines Create(string? path, ToolConsole console) => path switch
    {
        null => new RowLines(null, isOwned: false),
        OutputFile.StandardOutput => new RowLines(console.Documents, isOwned: false),
        _ => new RowLines(new StreamWriter(path), isOwned: true),
    };

    public Task WriteAsync(JsonObject row) => _writer?.WriteLineAsync(row.ToJsonString(_compact)) ?? Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        if (_isOwned && _writer is not null)
            await _writer.DisposeAsync();
    }
}

using System.Text.Json;

namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Attributes from lines of JSON: an object for each vector, null for none.</summary>
internal sealed class AttributeLines(string path, CollectionSchema schema, long vectors) : IAttributeRows
{
    private readonly StreamReader _reader = new(path);
    private long _line;

    public async ValueTask<(AttributeSet Attributes, int Bytes)> NextAsync(CancellationToken cancellationToken)
    {
        if (await _reader.ReadLineAsync(cancellationToken) is not { } line)
            throw new UsageException($"--attributes: expected {vectors} lines, one for each vector; found {_line} in '{path}'.");
        _line++;
        string place = $"'{path}', line {_line}";
        using JsonDocument document = JsonLine.Parse(line, place);
        return (AttributeJson.Parse(document.RootElement, schema, place), JsonLine.BytesPerChar * line.Length);
    }

    public async ValueTask RequireEndAsync(CancellationToken cancellationToken)
    {
        while (await _reader.ReadLineAsync(cancellationToken) is { } line)
        {
            if (!string.IsNullOrWhiteSpace(line))
                throw new UsageException($"--attributes: expected {vectors} lines, one for each vector; found more in '{path}'.");
        }
    }

    public ValueTask DisposeAsync()
    {
        _reader.Dispose();
        return ValueTask.CompletedTask;
    }
}

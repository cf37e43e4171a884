namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Records from lines of JSON; blank lines are none. Disposes of the reader.</summary>
/// <param name="name">Name of the file, for errors.</param>
internal sealed class LineRecords<TKey>(TextReader reader, string name, CollectionSchema schema) : IRecordRows<TKey>
    where TKey : notnull, IParsable<TKey>
{
    private long _line;

    public long? Count => null;

    public async ValueTask<RecordRow<TKey>?> NextAsync(CancellationToken cancellationToken)
    {
        while (await reader.ReadLineAsync(cancellationToken) is { } line)
        {
            _line++;
            if (!string.IsNullOrWhiteSpace(line))
                return RecordLine<TKey>.Parse(line, schema, $"{name}, line {_line}");
        }

        return null;
    }

    public ValueTask DisposeAsync()
    {
        reader.Dispose();
        return ValueTask.CompletedTask;
    }
}

using VectorPipe.Tool.Collections.Columns;

namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Records from a file of columns: keys, vectors and payloads, and all other columns attributes.</summary>
internal sealed class ColumnRecords<TKey> : IRecordRows<TKey>
    where TKey : notnull, IParsable<TKey>
{
    private const string KeyName = "key", VectorName = "vector", PayloadName = "payload";

    private static readonly string[] _names = [KeyName, VectorName, PayloadName];

    private readonly ColumnFile _file;
    private readonly AttributeColumns _attributes;
    private readonly Func<string, TKey> _key;
    private readonly Func<string, byte[]> _vector;
    private readonly Func<string, ReadOnlyMemory<byte>>? _payload;

    private ColumnRecords(ColumnFile file, CollectionSchema schema)
    {
        string? taken = schema.Attributes.Select(attribute => attribute.Name).FirstOrDefault(_names.Contains);
        UsageException.Require(
            taken is null, "--records", $"an attribute '{taken}' in the schema", "no attribute of the name of another column");
        _file = file;
        _key = Bind(KeyName, "keys (integers, strings or UUIDs)", KeyColumn<TKey>.ReaderOf)
            ?? throw Missing(KeyName, "keys");
        _vector = Bind(VectorName, "lists of numbers", column => VectorColumn.ReaderOf(column, schema))
            ?? throw Missing(VectorName, "lists of numbers");
        _payload = Bind(PayloadName, "strings or bytes", PayloadColumn.ReaderOf);
        _attributes = new AttributeColumns(file, file.Names.Where(name => !_names.Contains(name)), schema);
        file.RequireMemory();
    }

    public long? Count => _file.RowCount;

    /// <summary>Opens a file and checks its columns.</summary>
    public static async Task<ColumnRecords<TKey>> OpenAsync(string path, CollectionSchema schema, CancellationToken cancellationToken)
    {
        ColumnFile file = await ColumnFile.OpenAsync(path, cancellationToken);
        try
        {
            return new ColumnRecords<TKey>(file, schema);
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }
    }

    public async ValueTask<RecordRow<TKey>?> NextAsync(CancellationToken cancellationToken)
    {
        if (!await _file.NextAsync(cancellationToken))
            return null;
        string place = _file.Place;
        TKey key = _key(place);
        byte[] vector = _vector(place);
        ReadOnlyMemory<byte> payload = _payload?.Invoke(place) ?? default;
        AttributeSet attributes = _attributes.Next(place, out int bytes);
        bytes += JsonLine.BytesPerChar * KeyText<TKey>.ToText(key).Length;
        return new RecordRow<TKey>(place, key, vector, attributes, payload, bytes);
    }

    public ValueTask DisposeAsync() => _file.DisposeAsync();

    private TReader? Bind<TReader>(string name, string expected, Func<Column, TReader?> readerOf)
        where TReader : class
    {
        if (!_file.Names.Contains(name))
            return null;
        return (_file.Take(name) is { } column ? readerOf(column) : null) ?? throw new UsageException(
            $"'{_file.Path}': expected {expected} in column '{name}'; found {_file.Describe(name)}.");
    }

    private UsageException Missing(string name, string what) =>
        new($"'{_file.Path}': expected a column '{name}' of {what}; found {string.Join(", ", _file.Names)}.");
}

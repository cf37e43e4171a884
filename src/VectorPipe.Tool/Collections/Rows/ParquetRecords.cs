using VectorPipe.Tool.Collections.Columns;

namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Records from a file of Parquet: columns of keys, vectors and payloads, and all others attributes.</summary>
internal sealed class ParquetRecords<TKey> : IRecordRows<TKey>
    where TKey : notnull, IParsable<TKey>
{
    private const string KeyName = "key", VectorName = "vector", PayloadName = "payload";

    private static readonly string[] _names = [KeyName, VectorName, PayloadName];

    private readonly ParquetFile _file;
    private readonly ParquetRows _rows;
    private readonly AttributeColumns _attributes;
    private readonly Func<string, TKey> _key;
    private readonly Func<string, byte[]> _vector;
    private readonly Func<string, ReadOnlyMemory<byte>>? _payload;

    private ParquetRecords(ParquetFile file, CollectionSchema schema)
    {
        string? taken = schema.Attributes.Select(attribute => attribute.Name).FirstOrDefault(_names.Contains);
        UsageException.Require(
            taken is null, "--records", $"an attribute '{taken}' in the schema", "no attribute of the name of another column of Parquet");
        _file = file;
        List<ParquetColumn> columns = [];
        _key = Bind(KeyName, "keys (integers, strings or UUIDs)", KeyColumn<TKey>.ReaderOf, columns) ?? throw Missing(KeyName, "keys");
        _vector = Bind(VectorName, "lists of numbers", column => VectorColumn.ReaderOf(column, schema), columns)
            ?? throw Missing(VectorName, "lists of numbers");
        _payload = Bind(PayloadName, "strings or bytes", PayloadColumn.ReaderOf, columns);
        _attributes = new AttributeColumns(file.Path, file.Fields.Where(field => !_names.Contains(field.Name)), schema);
        columns.AddRange(_attributes.Columns);
        file.RequireMemory(columns, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
        _rows = new ParquetRows(file, columns);
    }

    public long? Count => _file.RowCount;

    /// <summary>Opens a file and checks its columns.</summary>
    public static async Task<ParquetRecords<TKey>> OpenAsync(string path, CollectionSchema schema, CancellationToken cancellationToken)
    {
        ParquetFile file = await ParquetFile.OpenAsync(path, cancellationToken);
        try
        {
            return new ParquetRecords<TKey>(file, schema);
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }
    }

    public async ValueTask<RecordRow<TKey>?> NextAsync(CancellationToken cancellationToken)
    {
        if (!await _rows.NextAsync(cancellationToken))
            return null;
        string place = _rows.Place;
        TKey key = _key(place);
        byte[] vector = _vector(place);
        ReadOnlyMemory<byte> payload = _payload?.Invoke(place) ?? default;
        AttributeSet attributes = _attributes.Next(place, out int bytes);
        bytes += JsonLine.BytesPerChar * KeyText<TKey>.ToText(key).Length;
        return new RecordRow<TKey>(place, key, vector, attributes, payload, bytes);
    }

    public ValueTask DisposeAsync() => _file.DisposeAsync();

    private TReader? Bind<TReader>(string name, string expected, Func<ParquetColumn, TReader?> readerOf, List<ParquetColumn> columns)
        where TReader : class
    {
        if (_file.Fields.FirstOrDefault(field => field.Name == name) is not { } field)
            return null;
        ParquetColumn? column = ParquetColumn.Create(field);
        TReader reader = (column is null ? null : readerOf(column)) ?? throw new UsageException(
            $"'{_file.Path}': expected {expected} in column '{name}'; found {ParquetColumn.Describe(field)}.");
        columns.Add(column!);
        return reader;
    }

    private UsageException Missing(string name, string what) =>
        new($"'{_file.Path}': expected a column '{name}' of {what}; found {string.Join(", ", _file.Fields.Select(field => field.Name))}.");
}

using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Records from a file of vectors, with their keys and attributes from other files.</summary>
internal sealed class VectorRecords<TKey> : IRecordRows<TKey>
    where TKey : notnull, IParsable<TKey>
{
    private const int RowsAtATime = 1024;

    private readonly VectorSource _vectors;
    private readonly string _path;
    private readonly string? _keysPath;
    private readonly KeyFile? _keys;
    private readonly IAttributeRows? _attributes;
    private readonly int _rowBytes;
    private readonly byte[] _rows;
    private readonly ulong[] _numbers = new ulong[RowsAtATime];
    private int _read;
    private int _next;
    private long _row;

    private VectorRecords(VectorSource vectors, string path, string? keysPath, KeyFile? keys, IAttributeRows? attributes)
    {
        (_vectors, _path, _keysPath, _keys, _attributes) = (vectors, path, keysPath, keys, attributes);
        _rowBytes = vectors.Dimension * VectorMatrix.BytesOf(vectors.ElementType);
        _rows = new byte[RowsAtATime * _rowBytes];
    }

    public long? Count => _vectors.Count;

    /// <summary>Opens the files, and checks type and dimension of the vectors.</summary>
    /// <param name="keysPath">Lines, or an array of NumPy; null for row numbers.</param>
    /// <param name="attributesPath">Null for none.</param>
    public static async Task<VectorRecords<TKey>> OpenAsync(
        string path, string? keysPath, string? attributesPath, CollectionSchema schema, ToolConsole console,
        CancellationToken cancellationToken)
    {
        VectorSource vectors = await VectorInput.OpenBaseAsync(path, console, cancellationToken, withKeys: keysPath is null);
        KeyFile? keys = null;
        try
        {
            UsageException.Require(
                vectors.ElementType == schema.ElementType && vectors.Dimension == schema.Dimension, "--vectors",
                $"{vectors.ElementType} of dimension {vectors.Dimension} in '{path}'",
                $"vectors of {schema.ElementType} of dimension {schema.Dimension}, as in the collection");
            UsageException.Require(
                vectors is not ColumnSource { HasKeys: true } || (typeof(TKey) != typeof(string) && typeof(TKey) != typeof(Guid)),
                "--vectors", $"keys in '{path}' for a collection with keys of type {KeyText<TKey>.TypeName}",
                "integers as keys; --records takes keys of any type from the file, and --keys from another one");
            keys = keysPath is null ? null : await KeyFile.OpenAsync(keysPath, vectors.Count, cancellationToken);
            IAttributeRows? attributes = attributesPath is null
                ? null
                : await AttributeRows.OpenAsync(attributesPath, schema, vectors.Count, cancellationToken);
            return new VectorRecords<TKey>(vectors, path, keysPath, keys, attributes);
        }
        catch
        {
            if (keys is not null)
                await keys.DisposeAsync();
            await vectors.DisposeAsync();
            throw;
        }
    }

    public async ValueTask<RecordRow<TKey>?> NextAsync(CancellationToken cancellationToken)
    {
        if (_next == _read)
        {
            _next = 0;
            _read = await _vectors.ReadAsync(_rows, _numbers, cancellationToken);
        }

        if (_read == 0)
        {
            await RequireEndAsync(cancellationToken);
            return null;
        }

        string key = _keys is null ? $"{_numbers[_next]}" : await _keys.NextAsync(cancellationToken);
        string place = $"'{_path}', row {_row}", placeOfKey = _keysPath is null ? $"--keys: row {_row}" : $"'{_keysPath}', row {_row}";
        (AttributeSet? attributes, int bytes) = _attributes is null ? (null, 0) : await _attributes.NextAsync(cancellationToken);
        var row = new RecordRow<TKey>(
            place, KeyText<TKey>.Parse(key, placeOfKey), _rows.AsMemory(_next * _rowBytes, _rowBytes), attributes, default, bytes);
        _next++;
        _row++;
        return row;
    }

    public async ValueTask DisposeAsync()
    {
        if (_keys is not null)
            await _keys.DisposeAsync();
        if (_attributes is not null)
            await _attributes.DisposeAsync();
        await _vectors.DisposeAsync();
    }

    private async ValueTask RequireEndAsync(CancellationToken cancellationToken)
    {
        if (_keys is not null)
            await _keys.RequireEndAsync(cancellationToken);
        if (_attributes is not null)
            await _attributes.RequireEndAsync(cancellationToken);
    }
}

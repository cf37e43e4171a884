using VectorPipe.Measuring.Data;
using VectorPipe.Tool.Collections.Columns;

namespace VectorPipe.Tool.Inputs;

/// <summary>Vectors from a column of a file; keys come from its column of keys, or are row numbers. Not thread-safe.</summary>
internal sealed class ColumnSource : VectorSource
{
    private const string KeyName = "key", VectorName = "vector";

    private readonly ColumnFile _file;
    private readonly Func<string, byte[]> _vector;
    private readonly Func<string, ulong>? _key;
    private ulong _row;

    private ColumnSource(ColumnFile file, string name, StoredElement element, int dimension, bool withKeys)
    {
        (_file, ElementType, Dimension, IsRounded) = (file, element.Type, dimension, element.IsRounded);
        var schema = new CollectionSchema { Dimension = dimension, ElementType = element.Type };
        _vector = VectorColumn.ReaderOf(file.Take(name)!, schema)!;
        if (!withKeys || !file.Names.Contains(KeyName))
            return;
        _key = (file.Take(KeyName) is { } keys ? KeyColumn<ulong>.ReaderOf(keys) : null) ?? throw new UsageException(
            $"'{file.Path}': expected integers in column '{KeyName}'; found {file.Describe(KeyName)}.");
    }

    public override VectorElementType ElementType { get; }

    public override int Dimension { get; }

    public override long Count => _file.RowCount;

    /// <summary>Whether components of float64 become float32.</summary>
    public bool IsRounded { get; }

    /// <summary>Whether keys come from the file.</summary>
    public bool HasKeys => _key is not null;

    /// <summary>Opens a file. The first row says how many components all have.</summary>
    /// <param name="withKeys">Whether keys come from the file, if it has some.</param>
    public static async Task<ColumnSource> OpenAsync(InputName name, bool withKeys, CancellationToken cancellationToken)
    {
        string member = name.Member ?? VectorName;
        (StoredElement element, int dimension) = await FirstAsync(name.Path, member, cancellationToken);
        ColumnFile file = await ColumnFile.OpenAsync(name.Path, cancellationToken);
        try
        {
            var source = new ColumnSource(file, member, element, dimension, withKeys);
            file.RequireMemory();
            return source;
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        int read = 0;
        for (int at = 0; read < keys.Length && await NextAsync(rows[at..], cancellationToken) is var bytes and > 0; at += bytes)
        {
            ulong key = _key?.Invoke(_file.Place) ?? _row;
            keys.Span[read++] = key;
            _row++;
        }

        return read;
    }

    public override async ValueTask DisposeAsync()
    {
        await _file.DisposeAsync();
        await base.DisposeAsync();
    }

    // The next vector and its bytes; 0 if it does not fit, or at the end.
    private async ValueTask<int> NextAsync(Memory<byte> rows, CancellationToken cancellationToken)
    {
        int rowBytes = Dimension * VectorMatrix.BytesOf(ElementType);
        if (rows.Length < rowBytes || !await _file.NextAsync(cancellationToken))
            return 0;
        _vector(_file.Place).CopyTo(rows);
        return rowBytes;
    }

    private static async Task<(StoredElement Element, int Dimension)> FirstAsync(
        string path, string name, CancellationToken cancellationToken)
    {
        await using ColumnFile file = await ColumnFile.OpenAsync(path, cancellationToken);
        if (!file.Names.Contains(name))
            throw new UsageException($"'{path}': expected a column '{name}' of vectors; found {string.Join(", ", file.Names)}.");
        Column? column = file.Take(name);
        StoredElement element = ElementOf(column) ?? throw new UsageException(
            $"'{path}': expected lists of {StoredElement.Names} in column '{name}'; found {file.Describe(name)}.");
        file.RequireMemory();
        if (!await file.NextAsync(cancellationToken))
            throw new UsageException($"'{path}': expected at least 1 row; found none.");
        return column!.NextLength(file.Place) is { } length and > 0
            ? (element, length)
            : throw new UsageException($"{file.Place}, column '{name}': expected a list of numbers; found none.");
    }

    private static StoredElement? ElementOf(Column? column) => column switch
    {
        null or { IsList: false } => null,
        ValueColumn<double> => StoredElement.Float64,
        ValueColumn<float> => StoredElement.Of(isFloat: true, isSigned: true, sizeof(float)),
        ValueColumn<Half> => StoredElement.Of(isFloat: true, isSigned: true, sizeof(ushort)),
        ValueColumn<byte> => StoredElement.Of(isFloat: false, isSigned: false, 1),
        ValueColumn<sbyte> => StoredElement.Of(isFloat: false, isSigned: true, 1),
        _ => null,
    };
}

using System.Runtime.CompilerServices;
using Parquet;
using Parquet.Meta;
using Parquet.Schema;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>The values of a column in a row group, row by row. Not thread-safe.</summary>
/// <remarks>
/// A column has an entry a value, and one for each null and each empty list. Its definition level says which of them it is, and its
/// repetition level is 0 where a row begins. Only values that are there are stored.
/// </remarks>
internal sealed class ParquetValues<T>(DataField data, ListField? list)
    : ValueColumn<T>(list?.Name ?? data.Name, list is not null || data.IsArray), IParquetColumn
    where T : struct
{
    private T[] _values = [];
    private int[] _definitions = [];
    private int[] _repetitions = [];
    private int _entries;
    private int _entry;
    private int _value;

    private bool HasDefinitions => data.MaxDefinitionLevel > 0;

    private bool HasRepetitions => data.MaxRepetitionLevel > 0;

    // An item of a list may be null below the level of the list itself.
    private bool HasNullItems => IsList && data.IsNullable && !data.IsArray;

    public decimal BytesOf(ParquetRowGroupReader group, string place)
    {
        ColumnMetaData metadata = MetadataOf(group, place);
        int levels = (HasDefinitions ? sizeof(int) : 0) + (HasRepetitions ? sizeof(int) : 0);
        return ((decimal)metadata.NumValues * (Unsafe.SizeOf<T>() + levels)) + metadata.TotalUncompressedSize;
    }

    public async Task ReadAsync(ParquetRowGroupReader group, string place, CancellationToken cancellationToken)
    {
        _entries = (int)MetadataOf(group, place).NumValues;
        (_entry, _value) = (0, 0);
        Memory<T> values = Room(ref _values);
        Memory<int>? definitions = HasDefinitions ? Room(ref _definitions) : default(Memory<int>?);
        Memory<int>? repetitions = HasRepetitions ? Room(ref _repetitions) : default(Memory<int>?);
        await group.ReadRawAsync(data, values, definitions, repetitions, cancellationToken);

        int rows = HasRepetitions ? _repetitions.AsSpan(0, _entries).Count(0) : _entries;
        bool isWhole = !HasRepetitions || _entries == 0 || _repetitions[0] == 0;
        if (rows != group.RowCount || !isWhole)
            throw new UsageException($"{place}: expected {group.RowCount} rows; found {rows}.");
    }

    public override bool Next(string place, out ReadOnlySpan<T> values)
    {
        int level = HasDefinitions ? _definitions[_entry] : 0;
        int first = _value;
        do
        {
            int at = HasDefinitions ? _definitions[_entry] : 0;
            if (at == data.MaxDefinitionLevel)
                _value++;
            else if (HasNullItems && at == data.MaxDefinitionLevel - 1)
                throw new UsageException($"{place}, column '{Name}': expected a list without null; found one with null.");
            _entry++;
        }
        while (HasRepetitions && _entry < _entries && _repetitions[_entry] != 0);

        values = _values.AsSpan(first, _value - first);
        return !values.IsEmpty || (IsList && !(list?.IsNullable == true && level == 0));
    }

    // The largest row group decides; the arrays stay.
    private Memory<TRoom> Room<TRoom>(ref TRoom[] array)
    {
        if (array.Length < _entries)
            array = new TRoom[_entries];
        return array.AsMemory(0, _entries);
    }

    private ColumnMetaData MetadataOf(ParquetRowGroupReader group, string place)
    {
        ColumnMetaData metadata = group.GetMetadata(data)?.MetaData
            ?? throw new UsageException($"{place}: expected a column in each row group; found none.");
        return metadata.NumValues >= 0 && metadata.NumValues <= Array.MaxLength
            ? metadata
            : throw new UsageException($"{place}: expected at most {Array.MaxLength} values; found {metadata.NumValues}.");
    }
}

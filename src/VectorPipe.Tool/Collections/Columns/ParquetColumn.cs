using Parquet;
using Parquet.Schema;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A column of a file of Parquet, whose values are of one type of .NET: one a row at most, or a list a row.</summary>
internal abstract class ParquetColumn(DataField values, ListField? list)
{
    public string Name => list?.Name ?? values.Name;

    public bool IsList => list is not null || values.IsArray;

    protected DataField Field => values;

    protected ListField? List => list;

    /// <summary>A column of values or of lists of values; null for a field of another kind.</summary>
    public static ParquetColumn? Create(Field field) => field switch
    {
        TimeDataField => null,
        DataField data => Create(data, null),
        ListField { Item: DataField items } list when items is not TimeDataField => Create(items, list),
        _ => null,
    };

    /// <summary>Kind and type of a field, for an error.</summary>
    public static string Describe(Field field) => field switch
    {
        ListField { Item: DataField items } => $"list of {NameOf(items)}",
        ListField list => $"list of {Describe(list.Item)}",
        DataField { IsArray: true } items => $"list of {NameOf(items)}",
        DataField data => NameOf(data),
        StructField => "struct",
        _ => "map",
    };

    /// <summary>Memory that the values of a row group take.</summary>
    /// <param name="place">The row group and the column, for the error.</param>
    public abstract decimal BytesOf(ParquetRowGroupReader group, string place);

    /// <summary>Reads the values of a row group.</summary>
    /// <param name="place">The row group and the column, for the error.</param>
    public abstract Task ReadAsync(ParquetRowGroupReader group, string place, CancellationToken cancellationToken);

    private static ParquetColumn? Create(DataField field, ListField? list) => field.ClrType switch
    {
        var type when type == typeof(bool) => new ValueColumn<bool>(field, list),
        var type when type == typeof(sbyte) => new ValueColumn<sbyte>(field, list),
        var type when type == typeof(byte) => new ValueColumn<byte>(field, list),
        var type when type == typeof(short) => new ValueColumn<short>(field, list),
        var type when type == typeof(ushort) => new ValueColumn<ushort>(field, list),
        var type when type == typeof(int) => new ValueColumn<int>(field, list),
        var type when type == typeof(uint) => new ValueColumn<uint>(field, list),
        var type when type == typeof(long) => new ValueColumn<long>(field, list),
        var type when type == typeof(ulong) => new ValueColumn<ulong>(field, list),
        var type when type == typeof(float) => new ValueColumn<float>(field, list),
        var type when type == typeof(double) => new ValueColumn<double>(field, list),
        var type when type == typeof(DateTime) => new ValueColumn<DateTime>(field, list),
        var type when type == typeof(Guid) => new ValueColumn<Guid>(field, list),
        var type when type == typeof(ReadOnlyMemory<char>) => new ValueColumn<ReadOnlyMemory<char>>(field, list),
        var type when type == typeof(ReadOnlyMemory<byte>) => new ValueColumn<ReadOnlyMemory<byte>>(field, list),
        _ => null,
    };

    private static string NameOf(DataField field) => field switch
    {
        TimeDataField => "time of day",
        _ when field.ClrType == typeof(ReadOnlyMemory<char>) => "string",
        _ when field.ClrType == typeof(ReadOnlyMemory<byte>) => "bytes",
        _ when field.ClrType == typeof(DateTime) => "timestamp",
        _ when field.ClrType == typeof(float) => "float",
        _ when field.ClrType == typeof(sbyte) => "int8",
        _ when field.ClrType == typeof(byte) => "uint8",
        _ when field.ClrType == typeof(Guid) => "UUID",
        _ => field.ClrType.Name.ToLowerInvariant(),
    };
}

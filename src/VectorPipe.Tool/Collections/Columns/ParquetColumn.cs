using Parquet.Schema;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>The fields of Parquet as columns.</summary>
internal static class ParquetColumn
{
    /// <summary>A column of values or of lists of values; null for a field of another kind.</summary>
    public static IParquetColumn? Create(Field field) => field switch
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

    private static IParquetColumn? Create(DataField field, ListField? list) => field.ClrType switch
    {
        var type when type == typeof(bool) => new ParquetValues<bool>(field, list),
        var type when type == typeof(sbyte) => new ParquetValues<sbyte>(field, list),
        var type when type == typeof(byte) => new ParquetValues<byte>(field, list),
        var type when type == typeof(short) => new ParquetValues<short>(field, list),
        var type when type == typeof(ushort) => new ParquetValues<ushort>(field, list),
        var type when type == typeof(int) => new ParquetValues<int>(field, list),
        var type when type == typeof(uint) => new ParquetValues<uint>(field, list),
        var type when type == typeof(long) => new ParquetValues<long>(field, list),
        var type when type == typeof(ulong) => new ParquetValues<ulong>(field, list),
        var type when type == typeof(float) => new ParquetValues<float>(field, list),
        var type when type == typeof(double) => new ParquetValues<double>(field, list),
        var type when type == typeof(DateTime) => new ParquetValues<DateTime>(field, list),
        var type when type == typeof(Guid) => new ParquetValues<Guid>(field, list),
        var type when type == typeof(ReadOnlyMemory<char>) => new ParquetValues<ReadOnlyMemory<char>>(field, list),
        var type when type == typeof(ReadOnlyMemory<byte>) => new ParquetValues<ReadOnlyMemory<byte>>(field, list),
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

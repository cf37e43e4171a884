using Apache.Arrow;
using Apache.Arrow.Arrays;
using Apache.Arrow.Types;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>The fields of Arrow as columns.</summary>
internal static class ArrowColumn
{
    private const int GuidBytes = 16;

    /// <summary>A column of values or of lists of values; null for a field of another kind.</summary>
    public static IArrowColumn? Create(Field field) => field.DataType switch
    {
        NestedType { Fields.Count: 1 } list when IsList(list) => Create(field.Name, isList: true, list.Fields[0].DataType),
        var type => Create(field.Name, isList: false, type),
    };

    /// <summary>Kind and type of a field, for an error.</summary>
    public static string Describe(Field field) => Describe(field.DataType);

    private static bool IsList(IArrowType type) => type is ListType or LargeListType or FixedSizeListType;

    private static IArrowColumn? Create(string name, bool isList, IArrowType type)
    {
        return type switch
        {
            BooleanType => Of(array => Each((BooleanArray)array, (from, i) => from.GetValue(i) == true)),
            Int8Type => Numbers<sbyte>(),
            UInt8Type => Numbers<byte>(),
            Int16Type => Numbers<short>(),
            UInt16Type => Numbers<ushort>(),
            Int32Type => Numbers<int>(),
            UInt32Type => Numbers<uint>(),
            Int64Type => Numbers<long>(),
            UInt64Type => Numbers<ulong>(),
            HalfFloatType => Numbers<Half>(),
            FloatType => Numbers<float>(),
            DoubleType => Numbers<double>(),
            StringType => Of(array => Each((StringArray)array, (from, i) => from.GetString(i).AsMemory())),
            LargeStringType => Of(array => Each((LargeStringArray)array, (from, i) => from.GetString(i).AsMemory())),
            BinaryType => Of(array => Each((BinaryArray)array, (from, i) => new ReadOnlyMemory<byte>(from.GetBytes(i).ToArray()))),
            TimestampType => Of(array => Each((TimestampArray)array, (from, i) => from.GetTimestamp(i)?.UtcDateTime ?? default)),
            Date32Type => Of(array => Each((Date32Array)array, (from, i) => from.GetDateTime(i) ?? default)),
            Date64Type => Of(array => Each((Date64Array)array, (from, i) => from.GetDateTime(i) ?? default)),
            FixedSizeBinaryType { ByteWidth: GuidBytes } => Of(array => Each((FixedSizeBinaryArray)array, GuidOf)),
            _ => null,
        };

        ArrowValues<T> Of<T>(Func<IArrowArray, T[]> valuesOf)
            where T : struct => new(name, isList, valuesOf);

        ArrowValues<T> Numbers<T>()
            where T : struct, IEquatable<T> => Of(array => ((PrimitiveArray<T>)array).Values.ToArray());
    }

    private static T[] Each<TArray, T>(TArray array, Func<TArray, int, T> valueOf)
        where TArray : IArrowArray
    {
        var values = new T[array.Length];
        for (int i = 0; i < values.Length; i++)
        {
            if (array.IsValid(i))
                values[i] = valueOf(array, i);
        }

        return values;
    }

    // A UUID is stored with its first byte first.
    private static Guid GuidOf(FixedSizeBinaryArray array, int i) => new(array.GetBytes(i), bigEndian: true);

    private static string Describe(IArrowType type) => type switch
    {
        NestedType { Fields.Count: 1 } list when IsList(list) => $"list of {Describe(list.Fields[0].DataType)}",
        _ => type.Name,
    };
}

using System.Numerics;
using System.Runtime.InteropServices;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A column of vectors: lists of numbers, which become the components that a schema has.</summary>
internal static class VectorColumn
{
    /// <summary>Reads the next row, as the schema has it; null if the column is no list of numbers.</summary>
    public static Func<string, byte[]>? ReaderOf(Column column, CollectionSchema schema) => column switch
    {
        { IsList: false } => null,
        ValueColumn<float> numbers => place => Next(numbers, schema, place),
        ValueColumn<Half> numbers => place => Next(numbers, schema, place),
        ValueColumn<double> numbers => place => Next(numbers, schema, place),
        ValueColumn<sbyte> numbers => place => Next(numbers, schema, place),
        ValueColumn<byte> numbers => place => Next(numbers, schema, place),
        ValueColumn<short> numbers => place => Next(numbers, schema, place),
        ValueColumn<ushort> numbers => place => Next(numbers, schema, place),
        ValueColumn<int> numbers => place => Next(numbers, schema, place),
        ValueColumn<uint> numbers => place => Next(numbers, schema, place),
        ValueColumn<long> numbers => place => Next(numbers, schema, place),
        ValueColumn<ulong> numbers => place => Next(numbers, schema, place),
        _ => null,
    };

    private static byte[] Next<T>(ValueColumn<T> column, CollectionSchema schema, string place)
        where T : struct, INumber<T>
    {
        bool isThere = column.Next(place, out ReadOnlySpan<T> numbers);
        if (!isThere || numbers.Length != schema.Dimension)
            throw new UsageException(
                $"{place}, column '{column.Name}': expected a list of {schema.Dimension} numbers; found "
                + $"{(isThere ? numbers.Length : "null")}.");
        return schema.ElementType switch
        {
            VectorElementType.Float32 => Convert<T, float>(numbers),
            VectorElementType.Float16 => Convert<T, Half>(numbers),
            VectorElementType.UInt8 => ConvertExactly<T, byte>(numbers, column, schema, place),
            _ => ConvertExactly<T, sbyte>(numbers, column, schema, place),
        };
    }

    // Rounds to the nearest component, as the reader of JSON does.
    private static byte[] Convert<T, TComponent>(ReadOnlySpan<T> numbers)
        where T : struct, INumber<T>
        where TComponent : unmanaged, INumber<TComponent>
    {
        var vector = new TComponent[numbers.Length];
        for (int i = 0; i < vector.Length; i++)
            vector[i] = TComponent.CreateTruncating(numbers[i]);
        return MemoryMarshal.AsBytes<TComponent>(vector).ToArray();
    }

    private static byte[] ConvertExactly<T, TComponent>(
        ReadOnlySpan<T> numbers, Column column, CollectionSchema schema, string place)
        where T : struct, INumber<T>
        where TComponent : unmanaged, INumber<TComponent>
    {
        var vector = new TComponent[numbers.Length];
        for (int i = 0; i < vector.Length; i++)
        {
            vector[i] = TComponent.CreateSaturating(numbers[i]);

            // Also false for NaN.
            if (T.CreateSaturating(vector[i]) != numbers[i])
                throw CellText.Misfit(place, column, $"a {Choices.NameOf(schema.ElementType)} as component {i}", numbers[i]);
        }

        return MemoryMarshal.AsBytes<TComponent>(vector).ToArray();
    }
}

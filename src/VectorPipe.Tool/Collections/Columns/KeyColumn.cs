namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A column of keys: integers, strings or UUIDs, whatever type the keys of the collection have.</summary>
internal static class KeyColumn<TKey>
    where TKey : notnull, IParsable<TKey>
{
    /// <summary>Reads the next row; null if the column cannot hold keys.</summary>
    public static Func<string, TKey>? ReaderOf(Column column) => column switch
    {
        { IsList: true } => null,
        ValueColumn<sbyte> keys => place => Next(keys, place),
        ValueColumn<byte> keys => place => Next(keys, place),
        ValueColumn<short> keys => place => Next(keys, place),
        ValueColumn<ushort> keys => place => Next(keys, place),
        ValueColumn<int> keys => place => Next(keys, place),
        ValueColumn<uint> keys => place => Next(keys, place),
        ValueColumn<long> keys => place => Next(keys, place),
        ValueColumn<ulong> keys => place => Next(keys, place),
        ValueColumn<Guid> keys => place => Next(keys, place),
        ValueColumn<ReadOnlyMemory<char>> keys => place => Next(keys, place),
        _ => null,
    };

    private static TKey Next<T>(ValueColumn<T> column, string place)
        where T : struct
    {
        if (!column.Next(place, out ReadOnlySpan<T> values))
            throw new UsageException($"{place}, column '{column.Name}': expected a key; found null.");
        return values[0] is TKey key ? key : KeyText<TKey>.Parse(CellText.Of(values[0]), $"{place}, column '{column.Name}'");
    }
}

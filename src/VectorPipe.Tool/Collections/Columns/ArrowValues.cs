using Apache.Arrow;
using Apache.Arrow.Types;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>The values of a column in a record batch, row by row. Not thread-safe.</summary>
/// <param name="valuesOf">The values of an array; those of nulls are not looked at.</param>
internal sealed class ArrowValues<T>(string name, bool isList, Func<IArrowArray, T[]> valuesOf)
    : ValueColumn<T>(name, isList), IArrowColumn
    where T : struct
{
    private IArrowArray? _batch;
    private IArrowArray? _items;
    private T[] _values = [];
    private int _row;

    public void Begin(IArrowArray batch)
    {
        _batch = batch;
        _items = batch switch
        {
            ListArray lists => lists.Values,
            LargeListArray lists => lists.Values,
            FixedSizeListArray lists => lists.Values,
            _ => batch,
        };
        _values = valuesOf(_items);
        _row = 0;
    }

    public override bool Next(string place, out ReadOnlySpan<T> values)
    {
        int row = _row++;
        values = default;
        if (_batch!.IsNull(row))
            return false;
        (long first, int count) = _batch switch
        {
            ListArray lists => (lists.ValueOffsets[row], lists.GetValueLength(row)),
            LargeListArray lists => (lists.ValueOffsets[row], lists.GetValueLength(row)),
            FixedSizeListArray lists => ((lists.Offset + (long)row) * LengthOf(lists), LengthOf(lists)),
            _ => (row, 1),
        };
        if (IsList && _items!.NullCount > 0)
            RequireItems((int)first, count, place);
        values = _values.AsSpan(checked((int)first), count);
        return true;
    }

    private static int LengthOf(FixedSizeListArray lists) => ((FixedSizeListType)lists.Data.DataType).ListSize;

    private void RequireItems(int first, int count, string place)
    {
        for (int i = first; i < first + count; i++)
        {
            if (_items!.IsNull(i))
                throw new UsageException($"{place}, column '{Name}': expected a list without null; found one with null.");
        }
    }
}

using System.Diagnostics;
using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Columns;

/// <summary>Sets of texts: the numbers of the texts in a dictionary, one row's after another's, and each text once.</summary>
internal sealed class TextSetColumn : AttributeColumn
{
    private readonly TextDictionary _texts;
    private readonly int[] _starts;
    private readonly NumberArray _counts;
    private NumberArray _items;
    private int _used;

    public TextSetColumn(int rows, TextSetColumn? from)
        : base(rows, from)
    {
        _texts = from?._texts ?? new TextDictionary();
        _starts = new int[rows];
        _counts = from is null ? new NumberArray(rows) : new NumberArray(rows, from._counts);
        if (from is null)
        {
            _items = new NumberArray(rows);
            return;
        }

        // Sets that were replaced are left out.
        int items = 0;
        for (int row = 0; row < from._starts.Length; row++)
            items += from._counts[row];
        _items = new NumberArray(items + (items / 16));
        for (int row = 0; row < from._starts.Length; row++)
        {
            _starts[row] = _used;
            for (int i = 0; i < from._counts[row]; i++)
                _items[_used++] = from._items[from._starts[row] + i];
        }
    }

    public override long MemoryBytes =>
        base.MemoryBytes + _items.MemoryBytes + _counts.MemoryBytes + (_starts.LongLength * sizeof(int)) + _texts.MemoryBytes;

    public override AttributeColumn Copy(int rows) => new TextSetColumn(rows, this);

    public override void Clear(int row)
    {
        base.Clear(row);
        _counts[row] = 0;
    }

    protected override bool TryStore(int row, ref ByteReader reader)
    {
        _counts[row] = 0;
        if (!reader.TryReadUInt16(out int count))
            return false;
        _starts[row] = _used;
        for (int i = 0; i < count; i++)
        {
            if (!AttributeValueCodec.TrySkip(ref reader, AttributeType.String, out ReadOnlySpan<byte> text))
                return false;
            if (_used == _items.Length)
                _items = new NumberArray(checked(_used + Math.Max(64, _used / 2)), _items);
            _items[_used++] = _texts.NumberOf(text);
        }

        _counts[row] = count;
        Debug.Assert(_starts[row] + count == _used, "the items of a set lie together");
        return true;
    }

    protected override RowTest ValuesTestOf(BoundLeaf leaf)
    {
        var asked = (ItemsLeaf)leaf;
        ReadOnlySpan<byte[]> texts = _texts.Texts;
        var asks = new bool[texts.Length];
        for (int i = 0; i < texts.Length; i++)
            asks[i] = asked.Asks(texts[i]);
        return ForEach(_starts.Length, row =>
        {
            int found = 0;
            bool isEnough = asked.IsEnough(0);
            for (int i = 0, count = _counts[row]; i < count && !isEnough; i++)
                isEnough = asks[_items[_starts[row] + i]] && asked.IsEnough(++found);
            return asked.PassesSet(isEnough);
        });
    }
}

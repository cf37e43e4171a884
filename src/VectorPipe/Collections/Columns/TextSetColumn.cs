using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;
using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Columns;

/// <summary>Sets of texts: blocks of 64 rows with the numbers of their texts in a dictionary, and each text once.</summary>
/// <remarks>
/// A block is never changed, so copies share it. A row is the number of its texts, and the differences of their ascending numbers, in as
/// many half-bytes as each needs, three bits in a half-byte: texts get their numbers as they come, so that frequent ones mostly have low
/// ones. Five texts a row, of 1,000 by Zipf's law, take 7 bytes a row; whole numbers with a start for each row took 17.
/// </remarks>
internal sealed class TextSetColumn : AttributeColumn
{
    private const int BlockRows = 64;

    // Of items of 65,535 in each row, in 11 half-bytes each.
    private const int MostBlockBytes = 1 << 25;

    private readonly int _rows;
    private readonly TextDictionary _texts;
    private readonly byte[]?[] _blocks;

    // Rows that were changed since the blocks were made: 1 plus the place of the row's number of items, before the items; 0 for no change.
    private int[]? _starts;
    private NumberArray _items = new(0);
    private int _used;

    // The numbers of one set.
    private readonly List<int> _set = [];

    public TextSetColumn(int rows, TextSetColumn? from)
        : base(rows, from)
    {
        Debug.Assert(from?._starts is null, "what is copied is sealed");
        _rows = rows;
        _texts = from?._texts ?? new TextDictionary();
        _blocks = new byte[]?[(rows + BlockRows - 1) / BlockRows];
        from?._blocks.CopyTo(_blocks, 0);
    }

    // A block has a reference, and a header of three words.
    public override long MemoryBytes =>
        base.MemoryBytes + _blocks.Sum(block => block is null ? 8 : 32L + ((block.Length + 7) & ~7)) + _texts.MemoryBytes;

    public override AttributeColumn Copy(int rows) => new TextSetColumn(rows, this);

    public override void Clear(int row)
    {
        base.Clear(row);
        if (_blocks[row / BlockRows] is not null || _starts?[row] > 0)
            Begin(row);
    }

    public override void Seal()
    {
        if (_starts is null)
            return;
        var numbers = new List<int>();
        for (int block = 0; block < _blocks.Length; block++)
        {
            ReadOnlySpan<int> starts = _starts.AsSpan(block * BlockRows, Math.Min(BlockRows, _rows - (block * BlockRows)));
            if (starts.ContainsAnyExcept(0))
                _blocks[block] = Merge(_blocks[block], starts, numbers);
        }

        (_starts, _items, _used) = (null, new NumberArray(0), 0);
    }

    protected override bool TryStore(int row, ref ByteReader reader)
    {
        int start = Begin(row);
        _set.Clear();
        if (!reader.TryReadUInt16(out int count))
            return false;
        for (int i = 0; i < count; i++)
        {
            if (!AttributeValueCodec.TrySkip(ref reader, AttributeType.String, out ReadOnlySpan<byte> text))
                return false;
            _set.Add(_texts.NumberOf(text));
        }

        _set.Sort();
        for (int i = 0; i < count; i++)
            Append(_set[i] - (i > 0 ? _set[i - 1] : 0));
        _items[start] = count;
        return true;
    }

    protected override void WriteValues(ColumnWriter writer)
    {
        Debug.Assert(_starts is null, "what is written is sealed");
        _texts.Write(writer);
        foreach (byte[]? block in _blocks)
        {
            writer.Write(block?.Length ?? 0);
            writer.Write<byte>(block);
        }
    }

    protected override void ReadValues(ColumnReader reader, int rows)
    {
        _texts.Read(reader);
        int texts = _texts.Texts.Length;
        for (int i = 0; i < (rows + BlockRows - 1) / BlockRows; i++)
        {
            int length = reader.Read<int>();
            reader.Require(length is >= 0 and <= MostBlockBytes, "a length of a block");
            if (length == 0)
                continue;
            var block = new byte[length];
            reader.Read<byte>(block);
            reader.Require(IsBlock(block, texts), $"sets of texts below {texts} in {BlockRows} rows");
            _blocks[i] = block;
        }
    }

    protected override bool HasSameValue(int row, AttributeColumn other) => TextsOf(row).SetEquals(((TextSetColumn)other).TextsOf(row));

    protected override RowTest ValuesTestOf(BoundLeaf leaf)
    {
        Debug.Assert(_starts is null, "what searches see is sealed");
        var asked = (ItemsLeaf)leaf;
        ReadOnlySpan<byte[]> texts = _texts.Texts;
        var asks = new bool[texts.Length];
        for (int i = 0; i < texts.Length; i++)
            asks[i] = asked.Asks(texts[i]);
        return (first, passes) =>
        {
            for (int i = 0; i < passes.Length; i++)
                passes[i] = Test(_blocks[(first / BlockRows) + i], asked, asks);
        };
    }

    private static ulong Test(byte[]? block, ItemsLeaf asked, bool[] asks)
    {
        if (block is null)
            return asked.PassesSet(asked.IsEnough(0)) ? ulong.MaxValue : 0;
        var numbers = new NibbleReader(block);
        ulong word = 0;
        for (int row = 0; row < BlockRows; row++)
        {
            int found = 0;
            bool isEnough = asked.IsEnough(0);
            for (int left = numbers.Next(), text = 0; left > 0; left--)
            {
                text += numbers.Next();
                if (asks[text])
                    isEnough |= asked.IsEnough(++found);
            }

            word |= asked.PassesSet(isEnough) ? 1ul << row : 0;
        }

        return word;
    }

    private static bool IsBlock(byte[] block, int texts)
    {
        var numbers = new NibbleReader(block);
        for (int row = 0; row < BlockRows; row++)
        {
            if (!numbers.TryNext(out int left))
                return false;
            for (long text = -1; left > 0; left--)
            {
                // The first number of a row begins at 0, the others are differences.
                if (!numbers.TryNext(out int step) || (step == 0 && text >= 0))
                    return false;
                text = Math.Max(0, text) + step;
                if (text >= texts)
                    return false;
            }
        }

        return true;
    }

    private HashSet<string> TextsOf(int row)
    {
        var found = new HashSet<string>(StringComparer.Ordinal);
        if (_blocks[row / BlockRows] is not { } block)
            return found;
        var numbers = new NibbleReader(block);
        for (int before = 0; before <= row % BlockRows; before++)
        {
            for (int left = numbers.Next(), text = 0; left > 0; left--)
            {
                text += numbers.Next();
                if (before == row % BlockRows)
                    found.Add(Encoding.UTF8.GetString(_texts.Texts[text]));
            }
        }

        return found;
    }

    // Begins an empty set; returns the place of its number of items.
    private int Begin(int row)
    {
        _starts ??= new int[_rows];
        int start = _used;
        Append(0);
        _starts[row] = start + 1;
        return start;
    }

    private void Append(int number)
    {
        if (_used == _items.Length)
            _items = new NumberArray(checked(_used + Math.Max(64, _used / 2)), _items);
        _items[_used++] = number;
    }

    // A block with the rows that were changed; null if no row has an item.
    private byte[]? Merge(byte[]? block, ReadOnlySpan<int> starts, List<int> numbers)
    {
        numbers.Clear();
        var old = new NibbleReader(block);
        for (int row = 0; row < BlockRows; row++)
        {
            int kept = block is null ? 0 : old.Next();
            int start = row < starts.Length ? starts[row] : 0;
            int count = start > 0 ? _items[start - 1] : kept;
            numbers.Add(count);
            for (int i = 0; i < kept; i++)
            {
                int number = old.Next();
                if (start == 0)
                    numbers.Add(number);
            }

            for (int i = 0; start > 0 && i < count; i++)
                numbers.Add(_items[start + i]);
        }

        return numbers.Count == BlockRows ? null : NibbleWriter.Write(CollectionsMarshal.AsSpan(numbers));
    }
}

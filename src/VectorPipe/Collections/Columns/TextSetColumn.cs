using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Columns;

/// <summary>Sets of texts: each text once, with the list of the rows that have it; rows that changed since lie in blocks of 64.</summary>
/// <remarks>
/// Lists and blocks are never changed, so copies share them. A row in a block is the number of its texts, and the differences of their
/// ascending numbers. When a twelfth of the rows has changed, all go into lists again. Five texts a row, of 1,000 by Zipf's law, take 7
/// bytes a row; a text is tested for a million rows in less than a millisecond, where a pass over all sets took 34.
/// </remarks>
internal sealed class TextSetColumn : AttributeColumn
{
    private const int BlockRows = 64;

    // Of all rows, those that may lie in blocks.
    private const int RowsOfChanged = 12;

    // No list of a file has more: each row takes 11 half-bytes at most.
    private const long MostBytesOfRow = 6;

    private readonly int _rows;
    private readonly TextDictionary _texts;
    private readonly RowBits _changed;
    private readonly byte[]?[] _blocks;
    private byte[]?[] _lists;

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
        _changed = new RowBits(rows, from?._changed);
        _blocks = new byte[]?[(rows + BlockRows - 1) / BlockRows];
        from?._blocks.CopyTo(_blocks, 0);
        _lists = from?._lists ?? [];
    }

    public override long MemoryBytes =>
        base.MemoryBytes + _changed.MemoryBytes + BytesOf(_blocks) + BytesOf(_lists) + _texts.MemoryBytes;

    public override AttributeColumn Copy(int rows) => new TextSetColumn(rows, this);

    public override void Clear(int row)
    {
        if (Present[row])
            Begin(row);
        base.Clear(row);
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
        if (_changed.Count() > _rows / RowsOfChanged)
            MakeLists();
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
        TextSetColumn whole = ToLists();
        int texts = _texts.Texts.Length;
        _texts.Write(writer);
        for (int text = 0; text < texts; text++)
        {
            byte[]? list = text < whole._lists.Length ? whole._lists[text] : null;
            writer.Write(list?.Length ?? 0);
            writer.Write<byte>(list);
        }
    }

    protected override void ReadValues(ColumnReader reader, int rows)
    {
        _texts.Read(reader);
        _lists = new byte[]?[_texts.Texts.Length];
        for (int text = 0; text < _lists.Length; text++)
        {
            int length = reader.Read<int>();
            reader.Require(length >= 0 && length <= Math.Min(Array.MaxLength, MostBytesOfRow * (rows + 1L)), "a length of a list");
            if (length == 0)
                continue;
            var list = new byte[length];
            reader.Read<byte>(list);
            reader.Require(PostingList.IsList(list, Present, rows), $"a list of rows that have a set, below {rows}");
            _lists[text] = list;
        }
    }

    // The lists of the texts that are asked for, and the blocks of rows that have changed.
    protected override RowTest ValuesTestOf(BoundLeaf leaf)
    {
        Debug.Assert(_starts is null, "what searches see is sealed");
        var asked = (ItemsLeaf)leaf;
        int texts = _texts.Texts.Length;
        var asks = new bool[texts];
        var passing = new ulong[_blocks.Length];
        bool isFirst = true;
        if (asked.IsEnough(0))
            Array.Fill(passing, ulong.MaxValue);
        foreach (byte[] item in asked.Items)
        {
            int number = _texts.Find(item);
            if (number >= 0 && number < texts)
                asks[number] = true;
            Take(passing, number >= 0 && number < _lists.Length ? _lists[number] : null, asked.IsAll && !isFirst);
            isFirst = false;
        }

        ReadOnlySpan<ulong> changed = _changed.Words;
        for (int i = 0; i < passing.Length; i++)
        {
            passing[i] ^= asked.PassesSet(true) ? 0 : ulong.MaxValue;
            if (changed[i] != 0)
                passing[i] = (passing[i] & ~changed[i]) | (Test(_blocks[i], asked, asks) & changed[i]);
        }

        return (first, passes) => passing.AsSpan(first / BlockRows, passes.Length).CopyTo(passes);
    }

    protected override int FindDifferentValue(AttributeColumn other)
    {
        TextSetColumn left = ToLists(), right = ((TextSetColumn)other).ToLists();
        return FindDifferentList(left, right) is var row and >= 0 ? row : FindDifferentList(right, left);
    }

    // Takes the rows of a list: those of any list, or those that all lists have.
    private static void Take(ulong[] passing, byte[]? list, bool isAlso)
    {
        if (!isAlso)
        {
            if (list is not null)
                PostingList.Set(list, passing);
            return;
        }

        var also = new ulong[passing.Length];
        if (list is not null)
            PostingList.Set(list, also);
        for (int i = 0; i < also.Length; i++)
            passing[i] &= also[i];
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

    // An array has a reference, and a header of three words.
    private static long BytesOf(byte[]?[] arrays) =>
        arrays.Sum(array => array is null ? 8 : 32L + ((array.Length + 7) & ~7));

    // A row that has a text of one column and not in the other, or the other way round; -1 for none.
    private static int FindDifferentList(TextSetColumn one, TextSetColumn other)
    {
        List<int> rows = [], otherRows = [];
        for (int text = 0; text < one._lists.Length; text++)
        {
            int number = other._texts.Find(one._texts.Texts[text]);
            byte[]? list = one._lists[text], otherList = number >= 0 && number < other._lists.Length ? other._lists[number] : null;
            if (list.AsSpan().SequenceEqual(otherList))
                continue;
            rows.Clear();
            otherRows.Clear();
            PostingList.Read(list, rows);
            PostingList.Read(otherList, otherRows);
            int same = CollectionsMarshal.AsSpan(rows).CommonPrefixLength(CollectionsMarshal.AsSpan(otherRows));
            return Math.Min(same < rows.Count ? rows[same] : int.MaxValue, same < otherRows.Count ? otherRows[same] : int.MaxValue);
        }

        return -1;
    }

    // The same rows without blocks.
    private TextSetColumn ToLists()
    {
        Debug.Assert(_starts is null, "what is written is sealed");
        if (_changed.Count() == 0)
            return this;
        var copy = new TextSetColumn(_rows, this);
        copy.MakeLists();
        return copy;
    }

    // Takes the rows that lie in blocks into the lists.
    private void MakeLists()
    {
        int texts = _texts.Texts.Length;
        (int[] starts, int[] moved) = RowsOfTexts(texts);
        var lists = new byte[]?[texts];
        List<int> kept = [], rows = [];
        for (int text = 0; text < texts; text++)
        {
            kept.Clear();
            rows.Clear();
            PostingList.Read(text < _lists.Length ? _lists[text] : null, kept);
            ReadOnlySpan<int> added = moved.AsSpan(starts[text], starts[text + 1] - starts[text]);
            foreach (int row in kept)
            {
                if (_changed[row])
                    continue;
                while (!added.IsEmpty && added[0] < row)
                    Next(ref added);
                rows.Add(row);
            }

            while (!added.IsEmpty)
                Next(ref added);
            lists[text] = rows.Count > 0 ? PostingList.Write(rows) : null;
        }

        _lists = lists;
        Array.Clear(_blocks);
        _changed.Clear();

        void Next(ref ReadOnlySpan<int> added)
        {
            rows.Add(added[0]);
            added = added[1..];
        }
    }

    // The rows that lie in blocks, by text and ascending: where those of each text begin, and the rows.
    private (int[] Starts, int[] Rows) RowsOfTexts(int texts)
    {
        var starts = new int[texts + 1];
        Walk((text, _) => starts[text + 1]++);
        for (int text = 0; text < texts; text++)
            starts[text + 1] = checked(starts[text] + starts[text + 1]);
        int[] rows = new int[starts[texts]], next = [.. starts];
        Walk((text, row) => rows[next[text]++] = row);
        return (starts, rows);
    }

    private void Walk(Action<int, int> take)
    {
        for (int block = 0; block < _blocks.Length; block++)
        {
            if (_blocks[block] is not { } bytes)
                continue;
            var numbers = new NibbleReader(bytes);
            for (int row = block * BlockRows; row < (block + 1) * BlockRows; row++)
            {
                for (int left = numbers.Next(), text = 0; left > 0; left--)
                    take(text += numbers.Next(), row);
            }
        }
    }

    // Begins an empty set; returns the place of its number of items.
    private int Begin(int row)
    {
        _starts ??= new int[_rows];
        int start = _used;
        Append(0);
        _starts[row] = start + 1;
        _changed[row] = true;
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

using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Columns;

/// <summary>Texts: the number of each in a dictionary, 1, 2 or 4 bytes a row, and each text once.</summary>
internal sealed class TextColumn : AttributeColumn
{
    // Comparing a row with more texts takes longer than looking each up.
    private const int MostCompared = 4;

    private readonly TextDictionary _texts;
    private readonly NumberArray _numbers;

    public TextColumn(int rows, TextColumn? from)
        : base(rows, from)
    {
        _texts = from?._texts ?? new TextDictionary();
        _numbers = from is null ? new NumberArray(rows) : new NumberArray(rows, from._numbers);
    }

    public override long MemoryBytes => base.MemoryBytes + _numbers.MemoryBytes + _texts.MemoryBytes;

    public override AttributeColumn Copy(int rows) => new TextColumn(rows, this);

    protected override bool TryStore(int row, ref ByteReader reader)
    {
        if (!AttributeValueCodec.TrySkip(ref reader, AttributeType.String, out ReadOnlySpan<byte> text))
            return false;
        _numbers[row] = _texts.NumberOf(text);
        return true;
    }

    protected override void WriteValues(ColumnWriter writer)
    {
        _texts.Write(writer);
        _numbers.Write(writer);
    }

    protected override void ReadValues(ColumnReader reader, int rows)
    {
        _texts.Read(reader);
        _numbers.Read(reader, rows, below: Math.Max(1, _texts.Texts.Length));
    }

    protected override int FindDifferentValue(AttributeColumn other)
    {
        var texts = (TextColumn)other;
        return FirstWhere(
            row => !_texts.Texts[_numbers[row]].AsSpan().SequenceEqual(texts._texts.Texts[texts._numbers[row]]));
    }

    // Each text is compared once, however many rows have it.
    protected override RowTest ValuesTestOf(BoundLeaf leaf)
    {
        ReadOnlySpan<byte[]> texts = _texts.Texts;
        var passes = new bool[Math.Max(1, texts.Length)];
        for (int i = 0; i < texts.Length; i++)
            passes[i] = leaf.PassesBytes(texts[i]);
        int[] passing = [.. Enumerable.Range(0, texts.Length).Where(text => passes[text]).Take(MostCompared + 1)];
        return passing.Length <= MostCompared
            ? (first, words) => _numbers.FindEqual(first, passing, words)
            : (first, words) => _numbers.Find(first, passes, words);
    }
}

using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Columns;

/// <summary>Truth values: a bit a row.</summary>
internal sealed class BooleanColumn : AttributeColumn
{
    private readonly RowBits _true;

    public BooleanColumn(int rows, BooleanColumn? from)
        : base(rows, from) => _true = new RowBits(rows, from?._true);

    public override long MemoryBytes => base.MemoryBytes + _true.MemoryBytes;

    public override AttributeColumn Copy(int rows) => new BooleanColumn(rows, this);

    protected override bool TryStore(int row, ref ByteReader reader)
    {
        bool isRead = reader.TryReadByte(out byte truth) && truth <= 1;
        _true[row] = truth == 1;
        return isRead;
    }

    protected override void WriteValues(ColumnWriter writer) => _true.Write(writer);

    protected override void ReadValues(ColumnReader reader, int rows) => _true.Read(reader, rows);

    protected override int FindDifferentValue(AttributeColumn other) =>
        FirstWhere(row => _true[row] != ((BooleanColumn)other)._true[row]);

    protected override RowTest ValuesTestOf(BoundLeaf leaf)
    {
        bool passesTrue = leaf.PassesBits(1), passesFalse = leaf.PassesBits(0);
        return (first, passes) =>
        {
            ReadOnlySpan<ulong> words = _true.Words[(first / 64)..];
            for (int i = 0; i < passes.Length; i++)
                passes[i] = (passesTrue ? words[i] : 0) | (passesFalse ? ~words[i] : 0);
        };
    }
}

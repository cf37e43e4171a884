using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Columns;

/// <summary>Integers, doubles, or times in ticks of UTC: 8 bytes a row.</summary>
internal sealed class NumberColumn : AttributeColumn
{
    private readonly AttributeType _type;
    private readonly long[] _bits;

    public NumberColumn(AttributeType type, int rows, NumberColumn? from)
        : base(rows, from)
    {
        _type = type;
        _bits = new long[rows];
        from?._bits.CopyTo(_bits, 0);
    }

    public override long MemoryBytes => base.MemoryBytes + (_bits.LongLength * sizeof(long));

    public override AttributeColumn Copy(int rows) => new NumberColumn(_type, rows, this);

    // The offset of a time does not matter to a comparison.
    protected override bool TryStore(int row, ref ByteReader reader) =>
        reader.TryReadInt64(out _bits[row]) && (_type != AttributeType.DateTimeOffset || reader.TryReadUInt16(out _));

    protected override void WriteValues(ColumnWriter writer) => writer.Write<long>(_bits);

    protected override void ReadValues(ColumnReader reader, int rows) => reader.Read(_bits.AsSpan(0, rows));

    protected override int FindDifferentValue(AttributeColumn other) =>
        FirstWhere(row => _bits[row] != ((NumberColumn)other)._bits[row]);

    protected override RowTest ValuesTestOf(BoundLeaf leaf)
    {
        var numbers = (NumberLeaf)leaf;
        return (first, passes) =>
            numbers.PassesBits(_bits.AsSpan(first, Math.Min(passes.Length * 64, _bits.Length - first)), passes);
    }
}

using System.Runtime.InteropServices;
using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Columns;

/// <summary>Guids, as their bytes: 16 a row.</summary>
internal sealed class GuidColumn : AttributeColumn
{
    private readonly UInt128[] _bytes;

    public GuidColumn(int rows, GuidColumn? from)
        : base(rows, from)
    {
        _bytes = new UInt128[rows];
        from?._bytes.CopyTo(_bytes, 0);
    }

    public override long MemoryBytes => base.MemoryBytes + (_bytes.LongLength * 16);

    public override AttributeColumn Copy(int rows) => new GuidColumn(rows, this);

    protected override bool TryStore(int row, ref ByteReader reader)
    {
        if (!reader.TryTake(16, out ReadOnlySpan<byte> bytes))
            return false;
        bytes.CopyTo(BytesOf(row));
        return true;
    }

    protected override void WriteValues(ColumnWriter writer) => writer.Write<UInt128>(_bytes);

    protected override void ReadValues(ColumnReader reader, int rows) => reader.Read(_bytes.AsSpan(0, rows));

    protected override int FindDifferentValue(AttributeColumn other) =>
        FirstWhere(row => _bytes[row] != ((GuidColumn)other)._bytes[row]);

    protected override RowTest ValuesTestOf(BoundLeaf leaf) => (first, passes) =>
    {
        for (int i = 0; i < passes.Length; i++)
        {
            ulong word = 0;
            int from = first + (i * 64);
            for (int bit = 0; bit < Math.Min(64, _bytes.Length - from); bit++)
                word |= leaf.PassesBytes(BytesOf(from + bit)) ? 1ul << bit : 0;
            passes[i] = word;
        }
    };

    private Span<byte> BytesOf(int row) => MemoryMarshal.AsBytes(_bytes.AsSpan(row, 1));
}

using System.Numerics;
using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Collections.Columns;

/// <summary>One attribute of all records, by row.</summary>
/// <remarks>One thread changes a column until searches see it; from then on it stays as it is, and may be copied.</remarks>
internal abstract class AttributeColumn
{
    private readonly RowBits _present;

    /// <param name="rows">Rows.</param>
    /// <param name="from">The column of which this is a copy; null for none.</param>
    protected AttributeColumn(int rows, AttributeColumn? from) => _present = new RowBits(rows, from?._present);

    /// <summary>Bytes of memory; texts that several copies share count for each.</summary>
    public virtual long MemoryBytes => _present.MemoryBytes;

    /// <summary>Makes a column without values.</summary>
    public static AttributeColumn Create(AttributeType type, int rows) => type switch
    {
        AttributeType.Boolean => new BooleanColumn(rows, null),
        AttributeType.String => new TextColumn(rows, null),
        AttributeType.Guid => new GuidColumn(rows, null),
        AttributeType.StringSet => new TextSetColumn(rows, null),
        _ => new NumberColumn(type, rows, null),
    };

    /// <summary>A copy that may be changed.</summary>
    /// <param name="rows">Its rows, at least as many.</param>
    public abstract AttributeColumn Copy(int rows);

    /// <summary>Sets the value of a row to the one that encoded attributes have next; false if the bytes are none of the type.</summary>
    public bool TrySet(int row, ref ByteReader reader)
    {
        bool isSet = TryStore(row, ref reader);
        _present[row] = isSet;
        return isSet;
    }

    /// <summary>Ends a series of changes, before the column is searched or copied.</summary>
    public virtual void Seal()
    {
    }

    /// <summary>Removes the value of a row.</summary>
    public virtual void Clear(int row) => _present[row] = false;

    /// <summary>Writes all rows.</summary>
    public void Write(ColumnWriter writer)
    {
        _present.Write(writer);
        WriteValues(writer);
    }

    /// <summary>Reads the first rows of a column that has no values.</summary>
    public void Read(ColumnReader reader, int rows)
    {
        _present.Read(reader, rows);
        ReadValues(reader, rows);
    }

    /// <summary>The first row that has another value, or none, in another column of the same type and rows; -1 for no row.</summary>
    public int FindDifference(AttributeColumn other)
    {
        for (int i = 0; i < _present.Words.Length; i++)
        {
            if ((_present.Words[i] ^ other._present.Words[i]) is var differing && differing != 0)
                return (i * 64) + BitOperations.TrailingZeroCount(differing);
        }

        return FindDifferentValue(other);
    }

    /// <summary>The test of all rows for a test of one.</summary>
    public RowTest TestOf(BoundLeaf leaf)
    {
        RowTest? ofValues = leaf is PresenceLeaf ? null : ValuesTestOf(leaf);
        bool passesMissing = leaf.PassesMissing;
        return (first, passes) =>
        {
            ofValues?.Invoke(first, passes);
            ReadOnlySpan<ulong> present = _present.Words[(first / 64)..];
            for (int i = 0; i < passes.Length; i++)
            {
                ulong values = ofValues is null ? (passesMissing ? 0 : ulong.MaxValue) : passes[i];
                passes[i] = (values & present[i]) | (passesMissing ? ~present[i] : 0);
            }
        };
    }

    /// <summary>The rows that have a value.</summary>
    protected RowBits Present => _present;

    /// <summary>Stores the value of a row; false if the bytes are none of the type.</summary>
    protected abstract bool TryStore(int row, ref ByteReader reader);

    /// <summary>The test of the values; rows without one may get any bit.</summary>
    protected abstract RowTest ValuesTestOf(BoundLeaf leaf);

    protected abstract void WriteValues(ColumnWriter writer);

    protected abstract void ReadValues(ColumnReader reader, int rows);

    /// <summary>A row that has another value in another column, where the same rows have one; -1 for none.</summary>
    protected abstract int FindDifferentValue(AttributeColumn other);

    /// <summary>The first row with a value for which something holds; -1 for none.</summary>
    protected int FirstWhere(Predicate<int> holds)
    {
        for (int i = 0; i < _present.Words.Length; i++)
        {
            for (ulong left = _present.Words[i]; left != 0; left &= left - 1)
            {
                int row = (i * 64) + BitOperations.TrailingZeroCount(left);
                if (holds(row))
                    return row;
            }
        }

        return -1;
    }
}

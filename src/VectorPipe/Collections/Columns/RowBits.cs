using System.Numerics;

namespace VectorPipe.Collections.Columns;

/// <summary>A bit for each row.</summary>
internal sealed class RowBits
{
    private readonly ulong[] _words;

    /// <param name="rows">Rows.</param>
    /// <param name="from">The bits of the first rows; null for none set.</param>
    public RowBits(int rows, RowBits? from = null)
    {
        _words = new ulong[(rows + 63) / 64];
        from?._words.CopyTo(_words, 0);
    }

    public bool this[int row]
    {
        get => (_words[row / 64] >> (row % 64) & 1) != 0;
        set
        {
            ulong bit = 1ul << (row % 64);
            _words[row / 64] = value ? _words[row / 64] | bit : _words[row / 64] & ~bit;
        }
    }

    /// <summary>Elements of 64 rows.</summary>
    public ReadOnlySpan<ulong> Words => _words;

    /// <summary>Sets no bit any more.</summary>
    public void Clear() => Array.Clear(_words);

    /// <summary>Bits that are set.</summary>
    public long Count()
    {
        long count = 0;
        foreach (ulong word in _words)
            count += BitOperations.PopCount(word);
        return count;
    }

    public long MemoryBytes => _words.LongLength * sizeof(ulong);

    public void Write(ColumnWriter writer) => writer.Write<ulong>(_words);

    /// <summary>Reads the bits of the first rows.</summary>
    public void Read(ColumnReader reader, int rows)
    {
        Span<ulong> words = _words.AsSpan(0, (rows + 63) / 64);
        reader.Read(words);
        reader.Require(rows % 64 == 0 || words[^1] >> (rows % 64) == 0, $"no bits of more than {rows} rows");
    }
}

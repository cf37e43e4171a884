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

    public long MemoryBytes => _words.LongLength * sizeof(ulong);
}

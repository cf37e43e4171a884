using System.Numerics;

namespace VectorPipe.Building.Clusters;

/// <summary>Rows of a paged table that have a copy behind its end, always in memory: those that many others far away ask for.</summary>
/// <remarks>A bit a row and a count for each 64 rows: a fifth of a byte a row. Reading is thread-safe.</remarks>
internal sealed class KeptRows
{
    private readonly ulong[] _bits;
    private readonly int[] _before;
    private readonly int _count;

    /// <param name="count">Rows of the table.</param>
    /// <param name="rows">Those with a copy, ascending.</param>
    public KeptRows(int count, ReadOnlySpan<int> rows)
    {
        _count = count;
        _bits = new ulong[(count + 63) / 64];
        _before = new int[_bits.Length];
        foreach (int row in rows)
            _bits[row >> 6] |= 1UL << row;
        for (int i = 1; i < _bits.Length; i++)
            _before[i] = _before[i - 1] + BitOperations.PopCount(_bits[i - 1]);
        Count = rows.Length;
    }

    /// <summary>How many rows have a copy.</summary>
    public int Count { get; }

    /// <summary>Whether a row has a copy.</summary>
    public bool Contains(int row) => (_bits[row >> 6] >> row & 1) != 0;

    /// <summary>The row of a row's copy, or the row itself if it has none.</summary>
    public int CopyOf(int row)
    {
        ulong bits = _bits[row >> 6];
        ulong bit = 1UL << row;
        return (bits & bit) == 0 ? row : _count + _before[row >> 6] + BitOperations.PopCount(bits & (bit - 1));
    }
}

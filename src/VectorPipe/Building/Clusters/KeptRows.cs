using System.Numerics;

namespace VectorPipe.Building.Clusters;

/// <summary>Rows of a paged table with a copy behind its end that stays in memory: those that many distant rows ask for.</summary>
/// <remarks>A bit per row and a count per 64 rows. Reading is thread-safe.</remarks>
internal sealed class KeptRows
{
    private readonly ulong[] _bits;
    private readonly int[] _before;
    private readonly int _count;

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

    /// <summary>Rows with a copy.</summary>
    public int Count { get; }

    public bool Contains(int row) => (_bits[row >> 6] >> row & 1) != 0;

    /// <summary>The row of the copy, or the row itself if it has none.</summary>
    public int CopyOf(int row)
    {
        ulong bits = _bits[row >> 6];
        ulong bit = 1UL << row;
        return (bits & bit) == 0 ? row : _count + _before[row >> 6] + BitOperations.PopCount(bits & (bit - 1));
    }
}

using System.Diagnostics;

namespace VectorPipe.Building;

/// <summary>A directed graph over the points 0 .. Count-1 with at most <see cref="MaxDegree"/> out-links a point, and a point to enter at.</summary>
/// <remarks>Rows lie one after another at a fixed stride. Not thread-safe while it is written; freely shared once built.</remarks>
internal sealed class Graph
{
    private readonly int[][] _chunks;
    private readonly int _rowsPerChunk;
    private readonly ushort[] _degrees;

    public Graph(int count, int maxDegree)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxDegree, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxDegree, ushort.MaxValue);
        Count = count;
        MaxDegree = maxDegree;
        _degrees = new ushort[count];

        // One array cannot hold more than 2^31 elements, so rows are kept in chunks of a power of two of rows.
        _rowsPerChunk = 1 << 20;
        int chunks = (int)(((long)count + _rowsPerChunk - 1) / _rowsPerChunk);
        _chunks = new int[chunks][];
        for (int i = 0; i < chunks; i++)
            _chunks[i] = GC.AllocateUninitializedArray<int>(Math.Min(_rowsPerChunk, count - i * _rowsPerChunk) * maxDegree);
    }

    /// <summary>How many points.</summary>
    public int Count { get; }

    /// <summary>Most out-links of a point (R).</summary>
    public int MaxDegree { get; }

    /// <summary>The point at which a search enters.</summary>
    public int Entry { get; set; }

    /// <summary>The out-links of a point.</summary>
    public ReadOnlySpan<int> Links(int point) => Row(point)[.._degrees[point]];

    /// <summary>The whole row of a point, for in-place edits together with <see cref="SetDegree"/>.</summary>
    public Span<int> Row(int point)
    {
        int[] chunk = _chunks[point / _rowsPerChunk];
        return chunk.AsSpan(point % _rowsPerChunk * MaxDegree, MaxDegree);
    }

    /// <summary>How many entries of <see cref="Row"/> are links.</summary>
    public int Degree(int point) => _degrees[point];

    /// <summary>States how many entries of <see cref="Row"/> are links.</summary>
    public void SetDegree(int point, int degree)
    {
        Debug.Assert((uint)degree <= (uint)MaxDegree, "a row holds at most MaxDegree links");
        _degrees[point] = (ushort)degree;
    }

    /// <summary>Replaces the out-links of a point.</summary>
    public void SetLinks(int point, ReadOnlySpan<int> links)
    {
        links.CopyTo(Row(point));
        SetDegree(point, links.Length);
    }
}

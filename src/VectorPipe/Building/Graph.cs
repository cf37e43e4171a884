using System.Diagnostics;
using System.Numerics;

namespace VectorPipe.Building;

/// <summary>A directed graph over the points 0 .. Count-1 with at most <see cref="MaxDegree"/> out-links a point, and a point to enter at.</summary>
/// <remarks>Rows lie one after another at a fixed stride. Not thread-safe while it is written; freely shared once built.</remarks>
internal sealed class Graph
{
    // One array cannot hold more than 2^31 elements, so rows are kept in chunks of a power of two of rows and at most this many elements.
    private const int MaxChunkElements = 1 << 27;

    private readonly int[][] _chunks;
    private readonly int _chunkShift;
    private readonly ushort[] _degrees;

    public Graph(int count, int maxDegree)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxDegree, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxDegree, ushort.MaxValue);
        Count = count;
        MaxDegree = maxDegree;
        _degrees = new ushort[count];

        _chunkShift = BitOperations.Log2((uint)(MaxChunkElements / maxDegree));
        int rowsPerChunk = 1 << _chunkShift;
        _chunks = new int[(int)(((long)count + rowsPerChunk - 1) / rowsPerChunk)][];
        for (int i = 0; i < _chunks.Length; i++)
            _chunks[i] = GC.AllocateUninitializedArray<int>(Math.Min(rowsPerChunk, count - i * rowsPerChunk) * maxDegree);
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
        int[] chunk = _chunks[point >> _chunkShift];
        return chunk.AsSpan((point & ((1 << _chunkShift) - 1)) * MaxDegree, MaxDegree);
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

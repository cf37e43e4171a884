using System.Diagnostics;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Collections.Waiting;

/// <summary>Vectors in memory, each in the cell of the nearest of some pivots, so that a search can score those near to it alone.</summary>
/// <remarks>One thread adds; others see the rows that were published. Rows are numbered across cells.</remarks>
internal sealed unsafe class VectorCells
{
    /// <summary>Pivots, and cells around them.</summary>
    public const int Cells = 512;

    // Cells are many and have few vectors each: longer pieces are scored faster, and leave more memory empty.
    private const int ChunkBytes = 1 << 11;
    private const int LeastRowsPerChunk = 4;
    private const int MostRowsPerChunk = 32;

    private readonly int _vectorBytes;
    private readonly int _rowsPerChunk;
    private readonly byte[] _pivots;
    private readonly VectorChunks?[] _cells = new VectorChunks?[Cells];
    private readonly QueryDistance _exact;
    private int _count;
    private long _bytes;

    /// <param name="head">Vectors of which every so many becomes a pivot: at least <see cref="Cells"/>.</param>
    /// <param name="metric">The metric.</param>
    /// <param name="elementType">Type of a component.</param>
    /// <param name="dimension">Components of a vector.</param>
    public VectorCells(VectorChunks head, DistanceMetric metric, VectorElementType elementType, int dimension)
    {
        _exact = QueryDistance.Create(metric, elementType, dimension);
        _vectorBytes = dimension * elementType.SizeInBytes();
        _rowsPerChunk = Math.Clamp(ChunkBytes / _vectorBytes, LeastRowsPerChunk, MostRowsPerChunk);
        _pivots = new byte[Cells * _vectorBytes];
        for (int cell = 0; cell < Cells; cell++)
            head[(int)((long)cell * head.Count / Cells)].Span.CopyTo(_pivots.AsSpan(cell * _vectorBytes));
        _bytes = _pivots.Length + (Cells * sizeof(long));
    }

    /// <summary>Published rows.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Bytes of memory; asked for after each group of writes, so it is not added up over all cells then.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>The vector of a row.</summary>
    public ReadOnlyMemory<byte> this[int row] => Volatile.Read(ref _cells[row % Cells])![row / Cells];

    /// <summary>The rows of a cell; null for none.</summary>
    public VectorChunks? Of(int cell) => Volatile.Read(ref _cells[cell]);

    /// <summary>Adds a vector, which readers see after <see cref="Publish"/>.</summary>
    /// <param name="vector">The vector.</param>
    /// <param name="entry">Number of the write that it belongs to.</param>
    /// <returns>Its row.</returns>
    public int Add(ReadOnlySpan<byte> vector, int entry)
    {
        _exact.SetQuery(vector);
        Span<ulong> nearest = stackalloc ulong[Cells];
        Rank(_exact, nearest);
        ulong best = nearest[0];
        foreach (ulong other in nearest)
            best = Math.Min(best, other);
        int cell = (int)(uint)best;
        VectorChunks? rows = _cells[cell];
        if (rows is null)
            Volatile.Write(ref _cells[cell], rows = new VectorChunks(_vectorBytes, _rowsPerChunk));
        long before = rows.Bytes;
        int row = rows.Add(vector, entry);
        Volatile.Write(ref _bytes, _bytes + rows.Bytes - before);
        return checked((row * Cells) + cell);
    }

    /// <summary>Lets readers see the row that was added last.</summary>
    public void Publish(int row)
    {
        _cells[row % Cells]!.Publish();
        Volatile.Write(ref _count, _count + 1);
        AssertInvariants();
    }

    /// <summary>The cells, nearest first.</summary>
    /// <param name="exact">Distances of the query.</param>
    /// <param name="nearest">Receives <see cref="Cells"/> cells as <see cref="CandidateKey"/>.</param>
    public void Sort(QueryDistance exact, Span<ulong> nearest)
    {
        Rank(exact, nearest);
        nearest[..Cells].Sort();
    }

    private void Rank(QueryDistance exact, Span<ulong> nearest)
    {
        Span<float> distances = stackalloc float[Cells];
        fixed (byte* pivots = _pivots)
            exact.ComputeStrided(pivots, _vectorBytes, Cells, distances);
        for (int cell = 0; cell < Cells; cell++)
            nearest[cell] = CandidateKey.Of(distances[cell], (uint)cell);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_cells.Sum(static cell => (long)(cell?.Count ?? 0)) == _count, "every row is in one cell");
        long bytes = _pivots.Length + (Cells * sizeof(long)) + _cells.Sum(static cell => cell?.Bytes ?? 0);
        Debug.Assert(bytes == _bytes, "the bytes are those of all cells");
    }
}

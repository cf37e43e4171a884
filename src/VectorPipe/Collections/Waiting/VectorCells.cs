using System.Diagnostics;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Collections.Waiting;

/// <summary>Vectors in memory, each in the cell of the nearest of some pivots, so that a search can score those near to it alone.</summary>
/// <remarks>One thread adds; others see the rows that were published. Rows are numbered across cells.</remarks>
internal sealed class VectorCells
{
    /// <summary>Pivots, and cells around them.</summary>
    public const int Cells = 512;

    // Cells are many and have few vectors each: longer pieces are scored faster, and leave more memory empty.
    private const int ChunkBytes = 1 << 11;
    private const int LeastRowsPerChunk = 4;
    private const int MostRowsPerChunk = 32;

    // Steps of distance in which the cells near to a query are found: sorting all of them took a fifth of a scan.
    private const int Steps = 256;

    private readonly VectorChunks _pivots;
    private readonly int _vectorBytes;
    private readonly int _rowsPerChunk;
    private readonly VectorChunks?[] _cells = new VectorChunks?[Cells];
    private readonly int[] _rows = new int[Cells];
    private readonly QueryDistance _exact;
    private int _count;
    private long _bytes;

    /// <param name="pivots">The pivots: as many vectors as there are cells.</param>
    /// <param name="metric">The metric.</param>
    /// <param name="elementType">Type of a component.</param>
    /// <param name="dimension">Components of a vector.</param>
    public VectorCells(VectorChunks pivots, DistanceMetric metric, VectorElementType elementType, int dimension)
    {
        Debug.Assert(pivots.Count == Cells, "a pivot for each cell");
        _pivots = pivots;
        _exact = QueryDistance.Create(metric, elementType, dimension);
        _vectorBytes = dimension * elementType.SizeInBytes();
        _rowsPerChunk = Math.Clamp(ChunkBytes / _vectorBytes, LeastRowsPerChunk, MostRowsPerChunk);
        _bytes = Cells * (sizeof(long) + sizeof(int));
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
        Span<float> distances = stackalloc float[Cells];
        _pivots.ComputeFirst(_exact, distances);
        int cell = 0;
        for (int other = 1; other < Cells; other++)
        {
            if (distances[other] < distances[cell])
                cell = other;
        }

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
        int cell = row % Cells;
        _cells[cell]!.Publish();
        Volatile.Write(ref _rows[cell], _rows[cell] + 1);
        Volatile.Write(ref _count, _count + 1);
        AssertInvariants();
    }

    /// <summary>Finds how near to a query the cells are that have a number of rows.</summary>
    /// <param name="distances">Distances of the pivots from the query.</param>
    /// <param name="rows">The number.</param>
    /// <returns>The cells up to this distance have that many rows or some more, or are all.</returns>
    public float LimitOf(ReadOnlySpan<float> distances, long rows)
    {
        float least = float.PositiveInfinity, most = float.NegativeInfinity;
        foreach (float distance in distances)
            (least, most) = (Math.Min(least, distance), Math.Max(most, distance));
        float step = (most - least) / Steps;
        if (!(step > 0))
            return most;
        Span<int> rowsOfStep = stackalloc int[Steps];
        rowsOfStep.Clear();
        for (int cell = 0; cell < Cells; cell++)
            rowsOfStep[Math.Min(Steps - 1, (int)((distances[cell] - least) / step))] += Volatile.Read(ref _rows[cell]);
        for (int number = 0; number < Steps; number++)
        {
            rows -= rowsOfStep[number];
            if (rows <= 0)
                return least + (step * (number + 1));
        }

        return most;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        for (int cell = 0; cell < Cells; cell++)
            Debug.Assert((_cells[cell]?.Count ?? 0) == _rows[cell], "rows of a cell are counted");
        Debug.Assert(_rows.Sum() == _count, "every row is in one cell");
        long bytes = (Cells * (sizeof(long) + sizeof(int))) + _cells.Sum(static cell => cell?.Bytes ?? 0);
        Debug.Assert(bytes == _bytes, "the bytes are those of all cells");
    }
}

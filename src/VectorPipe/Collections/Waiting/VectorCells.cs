using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Collections.Waiting;

/// <summary>Vectors in memory, each in the cell of the nearest of some pivots, so that a search can score those near to it alone.</summary>
/// <remarks>
/// <para>One thread adds; others see the rows that were published. Rows are numbered across cells.</para>
/// <para>The rows of a cell lie in one array, which is replaced by a longer one when it is full: with pieces of 2 KiB, a scan spent
/// more time on finding them in memory than on distances.</para>
/// </remarks>
internal sealed unsafe class VectorCells
{
    /// <summary>Pivots, and cells around them.</summary>
    public const int Cells = 512;

    /// <summary>Most distances that <see cref="Compute"/> computes at once.</summary>
    public const int RowsTogether = VectorChunks.RowsTogether;

    // Cells are many, and have few vectors each.
    private const int LeastRoom = 8;

    // The header of an array.
    private const int ArrayOverhead = 24;

    // Steps of distance in which the cells near to a query are found: sorting all of them took a fifth of a scan.
    private const int Steps = 256;

    private readonly VectorChunks _pivots;
    private readonly int _vectorBytes;
    private readonly Cell[] _cells = new Cell[Cells];
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
        _bytes = Cells * Unsafe.SizeOf<Cell>();
    }

    /// <summary>Published rows.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Bytes of memory; asked for after each group of writes, so it is not added up over all cells then.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    private int RowBytes => sizeof(int) + _vectorBytes;

    /// <summary>The vector of a row. It stays as it is when others are added.</summary>
    public ReadOnlyMemory<byte> this[int row]
    {
        get
        {
            byte[] rows = Volatile.Read(ref _cells[row % Cells].Rows)!;
            return rows.AsMemory(VectorAt(rows, row / Cells), _vectorBytes);
        }
    }

    /// <summary>Adds a vector, which readers see after <see cref="Publish"/>.</summary>
    /// <param name="vector">The vector.</param>
    /// <param name="entry">Number of the write that it belongs to.</param>
    /// <returns>Its row.</returns>
    public int Add(ReadOnlySpan<byte> vector, int entry)
    {
        _exact.SetQuery(vector);
        Span<float> distances = stackalloc float[Cells];
        _pivots.ComputeFirst(_exact, distances);
        int nearest = 0;
        for (int other = 1; other < Cells; other++)
        {
            if (distances[other] < distances[nearest])
                nearest = other;
        }

        ref Cell cell = ref _cells[nearest];
        byte[] rows = cell.Rows ?? [];
        if (cell.Published == RoomOf(rows))
            Volatile.Write(ref cell.Rows, rows = Grow(rows, cell.Published));
        MemoryMarshal.Write(rows.AsSpan(cell.Published * sizeof(int)), entry);
        vector.CopyTo(rows.AsSpan(VectorAt(rows, cell.Published), _vectorBytes));
        return checked((cell.Published * Cells) + nearest);
    }

    /// <summary>Lets readers see the row that was added last.</summary>
    public void Publish(int row)
    {
        ref Cell cell = ref _cells[row % Cells];
        Volatile.Write(ref cell.Published, cell.Published + 1);
        Volatile.Write(ref _count, _count + 1);
        AssertInvariants();
    }

    /// <summary>Computes the distances of published rows of a cell.</summary>
    /// <param name="exact">Distances of the query.</param>
    /// <param name="cell">The cell.</param>
    /// <param name="first">The first of the rows, by their order in the cell.</param>
    /// <param name="distances">Room for <see cref="RowsTogether"/> of them.</param>
    /// <returns>Of each row whose distance was computed, the number of the write that it belongs to; none at the end of the cell.</returns>
    public ReadOnlySpan<int> Compute(QueryDistance exact, int cell, int first, scoped Span<float> distances)
    {
        // Rows that are published lie in the array that is read afterwards.
        int count = Math.Min(Volatile.Read(ref _cells[cell].Published) - first, RowsTogether);
        if (count <= 0)
            return [];
        byte[] rows = Volatile.Read(ref _cells[cell].Rows)!;
        fixed (byte* vectors = &rows[VectorAt(rows, first)])
            exact.ComputeStrided(vectors, _vectorBytes, count, distances);
        return MemoryMarshal.Cast<byte, int>(rows).Slice(first, count);
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
            rowsOfStep[Math.Min(Steps - 1, (int)((distances[cell] - least) / step))] += Volatile.Read(ref _cells[cell].Published);
        for (int number = 0; number < Steps; number++)
        {
            rows -= rowsOfStep[number];
            if (rows <= 0)
                return least + (step * (number + 1));
        }

        return most;
    }

    // The numbers of the writes come first, then the vectors.
    private int RoomOf(byte[] rows) => rows.Length / RowBytes;

    private int VectorAt(byte[] rows, int row) => (RoomOf(rows) * sizeof(int)) + (row * _vectorBytes);

    private byte[] Grow(byte[] rows, int count)
    {
        int room = Math.Max(LeastRoom, count + (count / 4));
        byte[] grown = GC.AllocateUninitializedArray<byte>(checked(room * RowBytes));
        rows.AsSpan(0, count * sizeof(int)).CopyTo(grown);
        rows.AsSpan(VectorAt(rows, 0), count * _vectorBytes).CopyTo(grown.AsSpan(VectorAt(grown, 0)));
        Volatile.Write(ref _bytes, _bytes + BytesOf(grown) - BytesOf(rows));
        return grown;
    }

    private static int BytesOf(byte[] rows) => rows.Length == 0 ? 0 : rows.Length + ArrayOverhead;

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_cells.All(cell => cell.Published <= RoomOf(cell.Rows ?? [])), "every row of a cell has its place");
        Debug.Assert(_cells.Sum(static cell => cell.Published) == _count, "every row is in one cell");
        long bytes = (Cells * Unsafe.SizeOf<Cell>()) + _cells.Sum(static cell => (long)BytesOf(cell.Rows ?? []));
        Debug.Assert(bytes == _bytes, "the bytes are those of all cells");
    }

    // Fields: a reader takes one after the other.
    private struct Cell
    {
        public byte[]? Rows;

        public int Published;
    }
}

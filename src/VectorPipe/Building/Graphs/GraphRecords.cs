using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Graphs;

/// <summary>Vector and key, as they were given, of each row of a graph.</summary>
/// <param name="Table">Where they are.</param>
/// <param name="PointOfRow">The table's row of a graph's row; null if they are the same.</param>
internal readonly record struct GraphRecords(PointTable Table, int[]? PointOfRow)
{
    /// <summary>Asks for the records of rows.</summary>
    public void Ask(PageLease lease, ReadOnlySpan<int> rows)
    {
        foreach (int row in rows)
            Table.Ask(lease, In(row), 1);
    }

    /// <summary>The vector of a row, as it was given.</summary>
    public ReadOnlySpan<byte> Vector(int row) => Table.Vector(In(row));

    /// <summary>The key of a row.</summary>
    public ulong Key(int row) => Table.Key(In(row));

    private int In(int row) => PointOfRow is null ? row : PointOfRow[row];
}

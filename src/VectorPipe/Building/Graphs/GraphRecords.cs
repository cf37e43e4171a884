using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Graphs;

/// <summary>The original vector and the key of each row of a graph.</summary>
/// <param name="Table">The records.</param>
/// <param name="PointOfRow">The table's row of a graph's row; null if they are the same.</param>
internal readonly record struct GraphRecords(PointTable Table, int[]? PointOfRow)
{
    public void Ask(PageLease lease, ReadOnlySpan<int> rows)
    {
        foreach (int row in rows)
            Table.Ask(lease, RecordOf(row), 1);
    }

    public ReadOnlySpan<byte> Vector(int row) => Table.Vector(RecordOf(row));

    public ulong Key(int row) => Table.Key(RecordOf(row));

    private int RecordOf(int row) => PointOfRow is null ? row : PointOfRow[row];
}

using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>Distances between rows of a table, for one thread.</summary>
internal sealed class TableDistances(VectorTable table, PageLease lease) : IRowDistances
{
    private int[] _found = [];

    public void Hint(ReadOnlySpan<int> rows) => table.Hint(lease, rows);

    public void Distances(int row, ReadOnlySpan<int> others, Span<float> distances)
    {
        table.Ask(lease, row, 1);
        table.Ask(lease, others);
        lease.Fetch();
        GatherKernels.Distances(table.Rows, row, table.Find(others, ref _found), distances);
    }
}

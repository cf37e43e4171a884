using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Partitioned;

/// <summary>Reads the rows around a leaf together, in long reads, before the points of the leaf ask for them one by one.</summary>
/// <remarks>Neighbouring leaves share most of their surroundings, so each needs few reads. Not thread-safe; a worker's scratch.</remarks>
internal sealed class LeafWindow(BuildContext context)
{
    private readonly NearLeaves _near = new(context.Map);

    /// <summary>Begins to read the vectors and the links of the leaves around a leaf, itself included.</summary>
    public void Open(int leaf, PageLease lease, LinkTable links)
    {
        LeafMap map = context.Map;
        long rowBytes = context.Table.RowBytes + links.RowBytes;
        long room = lease.Share;
        _near.Start(leaf, context.Options.NearLeaves);
        foreach (int near in _near.Listed[..Math.Min(context.Options.NearLeaves, _near.Listed.Length)])
        {
            // More than fits would evict rows that were just read.
            room -= PagedMemory.BlocksOf(map.Size(near) * rowBytes);
            if (room < 0)
                break;
            context.Table.Touch(lease, map.Offsets[near], map.Size(near));
            links.Touch(lease, map.Offsets[near], map.Size(near));
        }

        lease.Prefetch();
    }
}

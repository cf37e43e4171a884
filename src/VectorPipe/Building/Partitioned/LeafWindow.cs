using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// The rows around a leaf, which the work on its points will ask for most of all: brought in together, in long reads, before the points ask
/// one by one.
/// </summary>
/// <remarks>
/// Leaves that follow one another have most of their surroundings in common, so that little is read for each. Not thread-safe; a worker's
/// scratch.
/// </remarks>
/// <param name="context">The build.</param>
internal sealed class LeafWindow(BuildContext context)
{
    private readonly NearLeaves _near = new(context.Map);

    /// <summary>Begins to read what is not in memory of the leaves around a leaf, itself among them.</summary>
    /// <param name="leaf">The leaf.</param>
    /// <param name="lease">The worker's; begun.</param>
    /// <param name="links">Links of the rows, which are wanted as well as the vectors.</param>
    public void Open(int leaf, PageLease lease, LinkTable links)
    {
        LeafMap map = context.Map;
        long rowBytes = context.Table.Rows.Stride + links.RowBytes;
        long room = lease.Share;
        _near.Start(leaf, context.Options.NearLeaves);
        foreach (int near in _near.Listed[..Math.Min(context.Options.NearLeaves, _near.Listed.Length)])
        {
            // More than fits would push out what was brought in just before.
            room -= PagedMemory.BlocksOf(map.Size(near) * rowBytes);
            if (room < 0)
                break;
            context.Table.Touch(lease, map.Offsets[near], map.Size(near));
            links.Touch(lease, map.Offsets[near], map.Size(near));
        }

        lease.Prefetch();
    }
}

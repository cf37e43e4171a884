using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;

namespace VectorPipe.Building.Layout;

/// <summary>
/// Reverse neighbours of neighbouring nodes, shuffled into the order of these; those of a range of them at a time are in memory.
/// </summary>
/// <remarks>
/// Bound to the thread that first collects; several readers may share the files, which stay. Freed by <see cref="Dispose"/>.
/// </remarks>
internal sealed class ShuffledReverseNeighbours(ShuffledLayout layout, ShufflePaths paths, BuildSpace space, int firstNode) : IDisposable
{
    /// <summary>Targets of a partition.</summary>
    public const int PartitionNodes = 1024;

    private readonly ShuffledPartitions _partitions = space.OpenShuffle(layout, paths);

    /// <summary>
    /// Shuffles those of neighbouring nodes by target: in the order of the sources' rows, nearest points before links.
    /// </summary>
    public static ShuffledLayout Shuffle(
        MergedGraph graph, int firstNode, int nodes, BuildSpace space, ShufflePaths paths, long memoryBytes,
        CancellationToken cancellationToken)
    {
        int partitions = (nodes - 1) / PartitionNodes + 1;
        using PartitionShuffler shuffler =
            space.CreateShuffler(new ShuffleOptions(ShuffledReverseNeighbour.Bytes, partitions, memoryBytes), paths);
        using PageLease lease = space.Memory.Rent();
        LinkTable links = graph.Graph.Links;
        int most = Math.Max(AffinityRanker.Neighbours, links.MaxDegree);
        var rows = new ShuffledReverseNeighbour[most];
        uint[] partitionOf = new uint[most];
        foreach ((int first, int count) in graph.Nearest.Batches(lease, cancellationToken))
        {
            for (int row = first; row < first + count; row++)
                Add(row, graph.Nearest.Of(row, AffinityRanker.Neighbours), isLink: false);
        }

        foreach ((int first, int count) in links.Batches(lease, cancellationToken))
        {
            for (int row = first; row < first + count; row++)
                Add(row, links.Links(row), isLink: true);
        }

        return shuffler.Complete();

        void Add(int row, ReadOnlySpan<int> targets, bool isLink)
        {
            int taken = 0;
            for (int i = 0; i < targets.Length; i++)
            {
                uint target = (uint)graph.PositionOf[targets[i]], behind = target - (uint)firstNode;
                if (behind >= (uint)nodes)
                    continue;
                rows[taken] = new ShuffledReverseNeighbour(target, (uint)graph.PositionOf[row], isLink ? ReverseNeighbours.Link : (byte)i);
                partitionOf[taken++] = behind / PartitionNodes;
            }

            shuffler.Add(MemoryMarshal.AsBytes(rows.AsSpan(0, taken)), partitionOf.AsSpan(0, taken));
        }
    }

    /// <summary>Where each window of partitions ends that holds about so many bytes of rows.</summary>
    public static List<int> Windows(ShuffledLayout layout, long windowBytes)
    {
        var ends = new List<int>();
        long bytes = 0;
        for (int partition = 0; partition < layout.PartitionRows.Length; partition++)
        {
            long added = layout.PartitionRows[partition] * ShuffledReverseNeighbour.Bytes;
            if (bytes > 0 && bytes + added > windowBytes)
            {
                ends.Add(partition);
                bytes = 0;
            }

            bytes += added;
        }

        ends.Add(layout.PartitionRows.Length);
        return ends;
    }

    /// <summary>The first node of a partition.</summary>
    public int FirstNodeOf(int partition) => firstNode + (partition * PartitionNodes);

    /// <summary>Collects the reverse neighbours of the <paramref name="count"/> nodes of neighbouring partitions.</summary>
    public void Collect(ReverseNeighbours neighbours, int firstPartition, int endPartition, int count) =>
        neighbours.Take(_partitions.Window<ShuffledReverseNeighbour>(firstPartition, endPartition), FirstNodeOf(firstPartition), count);

    public void Dispose() => _partitions.Dispose();
}

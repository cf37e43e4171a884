using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;

namespace VectorPipe.Building.Partitioned;

/// <summary>The links of a paged table in scratch files, by the range of their targets, each range in the order of sources.</summary>
/// <remarks>Threads read at the same time, each through partitions of its own. <see cref="Dispose"/> deletes the files.</remarks>
internal sealed class ShuffledInLinks(ShuffledLayout layout, ShufflePaths paths, BuildSpace space) : IDisposable
{
    /// <summary>Targets of a range.</summary>
    public const int RangeRows = 1 << 11;

    /// <summary>Bytes of a shuffled link: target and source.</summary>
    public const int LinkBytes = 2 * sizeof(int);

    /// <summary>Shuffles all links, but no more than <paramref name="hubLinks"/> of a target, at even strides.</summary>
    public static ShuffledInLinks Of(
        LinkTable links, int hubLinks, long shuffleBytes, BuildSpace space, CancellationToken cancellationToken)
    {
        using PageLease lease = space.Memory.Rent();
        var hubs = new HubFilter(links.Count, hubLinks);
        foreach ((int first, int count) in links.Batches(lease, cancellationToken))
        {
            for (int source = first; source < first + count; source++)
                hubs.Count(links.Links(source));
            links.Retire(lease, first, count);
        }

        ShufflePaths paths = space.ShufflePaths("in-links");
        int ranges = (links.Count - 1) / RangeRows + 1;
        using PartitionShuffler shuffler = space.CreateShuffler(new ShuffleOptions(LinkBytes, ranges, shuffleBytes), paths);
        int[] rows = new int[2 * links.MaxDegree];
        uint[] partitions = new uint[links.MaxDegree];
        foreach ((int first, int count) in links.Batches(lease, cancellationToken))
        {
            for (int source = first; source < first + count; source++)
            {
                int taken = 0;
                foreach (int target in links.Links(source))
                {
                    if (!hubs.TryTake(target))
                        continue;
                    rows[2 * taken] = target;
                    rows[2 * taken + 1] = source;
                    partitions[taken++] = (uint)target / RangeRows;
                }

                shuffler.Add(MemoryMarshal.AsBytes(rows.AsSpan(0, 2 * taken)), partitions.AsSpan(0, taken));
            }

            links.Retire(lease, first, count);
        }

        return new ShuffledInLinks(shuffler.Complete(), paths, space);
    }

    /// <summary>Opens the links for a thread.</summary>
    public ShuffledPartitions Open() => space.OpenShuffle(layout, paths);

    public void Dispose() => paths.Delete(space.Memory.Io);
}

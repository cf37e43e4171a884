using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Partitioned;

/// <summary>In-links from a shuffle of all links by the range of their targets.</summary>
internal sealed unsafe class ShuffledInLinks : IInLinkSource
{
    /// <summary>Targets of a range.</summary>
    public const int RangeRows = 1 << 11;

    /// <summary>Bytes of a shuffled link: target and source.</summary>
    public const int LinkBytes = 2 * sizeof(int);

    private readonly ShuffledPartitions _partitions;
    private NativeBuffer? _links;

    /// <param name="layout">The shuffle.</param>
    /// <param name="paths">Its files.</param>
    /// <param name="space">Reads them.</param>
    public ShuffledInLinks(ShuffledLayout layout, ShufflePaths paths, BuildSpace space)
    {
        _partitions = new ShuffledPartitions(
            layout, paths, space.Memory.Device, space.Memory.Io, space.Memory.Logger, deletes: false, space.Memory.OpenDevice);
    }

    /// <summary>
    /// Shuffles all links of a table: rows of a target and a source, by the range of the target, in the order of sources.
    /// </summary>
    /// <param name="links">The links.</param>
    /// <param name="hubLinks">Links of a target that go in, at most: of more, as many at even strides, so that no range is much larger than
    /// others.</param>
    /// <param name="shuffleBytes">Bytes for rows that are shuffled.</param>
    /// <param name="space">Where the links are paged.</param>
    /// <param name="paths">The files.</param>
    /// <param name="cancellationToken">Observed every few hundred rows.</param>
    public static ShuffledLayout Shuffle(
        LinkTable links, int hubLinks, long shuffleBytes, BuildSpace space, ShufflePaths paths, CancellationToken cancellationToken)
    {
        using PageLease lease = space.Memory.Rent();
        var hubs = new HubFilter(links.Count, hubLinks);
        Scan(links, lease, (_, targets) => hubs.Count(targets), cancellationToken);

        int ranges = (links.Count - 1) / RangeRows + 1;
        using var shuffler = new PartitionShuffler(new ShuffleOptions(LinkBytes, ranges, shuffleBytes), paths, space.Memory.Io);
        int[] rows = new int[2 * links.MaxDegree];
        uint[] partitions = new uint[links.MaxDegree];
        Scan(
            links,
            lease,
            (source, targets) =>
            {
                int taken = 0;
                foreach (int target in targets)
                {
                    if (!hubs.TryTake(target))
                        continue;
                    rows[2 * taken] = target;
                    rows[2 * taken + 1] = source;
                    partitions[taken++] = (uint)target / RangeRows;
                }

                shuffler.Add(MemoryMarshal.AsBytes(rows.AsSpan(0, 2 * taken)), partitions.AsSpan(0, taken));
            },
            cancellationToken);
        return shuffler.Complete();
    }

    /// <inheritdoc/>
    public void Collect(InLinks inLinks, int first, int count, CancellationToken cancellationToken)
    {
        int range = first / RangeRows;
        long bytes = _partitions.RowsOf(range) * LinkBytes;
        if (_links is null || _links.Length < (nuint)bytes)
        {
            _links?.Dispose();
            _links = null;
            _links = new NativeBuffer((nuint)Math.Max(bytes, LinkBytes));
        }

        cancellationToken.ThrowIfCancellationRequested();
        _partitions.Read(range, range + 1, _links.Pointer, (long)_links.Length);
        inLinks.Take(first, count, new ReadOnlySpan<int>(_links.Pointer, checked((int)(bytes / sizeof(int)))));
    }

    private static void Scan(LinkTable links, PageLease lease, Action<int, ReadOnlySpan<int>> onRow, CancellationToken cancellationToken)
    {
        int together = PagedMemory.RowsTogether(links.RowBytes);
        for (int first = 0; first < links.Count; first += together)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int count = Math.Min(together, links.Count - first);
            lease.Begin();
            links.Ask(lease, first, count);
            lease.Fetch();
            for (int source = first; source < first + count; source++)
                onRow(source, links.Links(source));
            links.Retire(lease, first, count);
        }
    }

    /// <summary>Closes the files.</summary>
    public void Dispose()
    {
        _links?.Dispose();
        _partitions.Dispose();
    }
}

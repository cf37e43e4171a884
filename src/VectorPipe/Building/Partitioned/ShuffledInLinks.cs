using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Devices;

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
        _partitions = new ShuffledPartitions(layout, paths, space.Memory.Device, space.Memory.Io, space.Memory.Logger, deletes: false);
    }

    /// <summary>Shuffles all links of a table: rows of a target and a source, by the range of the target, in the order of sources.</summary>
    public static ShuffledLayout Shuffle(LinkTable links, BuildSpace space, ShufflePaths paths, CancellationToken cancellationToken)
    {
        int ranges = (links.Count - 1) / RangeRows + 1;
        using var shuffler = new PartitionShuffler(new ShuffleOptions(LinkBytes, ranges, space.ShuffleBytes), paths, space.Memory.Io);
        using PageLease lease = space.Memory.Rent();
        int[] rows = new int[2 * links.MaxDegree];
        uint[] partitions = new uint[links.MaxDegree];
        int together = PagedMemory.RowsTogether(links.RowBytes);
        for (int first = 0; first < links.Count; first += together)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int count = Math.Min(together, links.Count - first);
            lease.Begin();
            links.Ask(lease, first, count);
            lease.Fetch();
            for (int source = first; source < first + count; source++)
            {
                ReadOnlySpan<int> targets = links.Links(source);
                for (int i = 0; i < targets.Length; i++)
                {
                    rows[2 * i] = targets[i];
                    rows[2 * i + 1] = source;
                    partitions[i] = (uint)targets[i] / RangeRows;
                }

                shuffler.Add(System.Runtime.InteropServices.MemoryMarshal.AsBytes(rows.AsSpan(0, 2 * targets.Length)), partitions.AsSpan(0, targets.Length));
            }

            links.Retire(lease, first, count);
        }

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

    /// <summary>Closes the files.</summary>
    public void Dispose()
    {
        _links?.Dispose();
        _partitions.Dispose();
    }
}

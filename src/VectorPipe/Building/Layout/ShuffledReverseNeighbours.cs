using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Layout;

/// <summary>
/// Ties between nodes, brought into the order of their targets by way of scratch files; those to a range of targets at a time are in
/// memory.
/// </summary>
/// <remarks>
/// A reader is bound to the thread that first collects; several may read the same files. Freed by <see cref="Dispose"/>; the files stay.
/// </remarks>
internal sealed unsafe class ShuffledReverseNeighbours : IDisposable
{
    /// <summary>Targets of a partition.</summary>
    public const int PartitionNodes = 1024;

    private readonly ShuffledPartitions _partitions;
    private NativeBuffer? _rows;

    /// <param name="layout">The shuffle.</param>
    /// <param name="paths">Its files.</param>
    /// <param name="space">Reads them.</param>
    public ShuffledReverseNeighbours(ShuffledLayout layout, ShufflePaths paths, BuildSpace space) =>
        _partitions = new ShuffledPartitions(
            layout, paths, space.Memory.Device, space.Memory.Io, space.Memory.Logger, deletes: false, space.Memory.OpenDevice);

    /// <summary>Shuffles all ties by their targets: in the order of the sources' rows, nearest points before links.</summary>
    /// <param name="graph">What pages are made of.</param>
    /// <param name="space">Writes the files.</param>
    /// <param name="paths">The files.</param>
    /// <param name="memoryBytes">Bytes for rows.</param>
    /// <param name="cancellationToken">Observed every few hundred rows.</param>
    public static ShuffledLayout Shuffle(
        MergedGraph graph, BuildSpace space, ShufflePaths paths, long memoryBytes, CancellationToken cancellationToken)
    {
        int count = graph.Order.Length;
        using var shuffler = new PartitionShuffler(
            new ShuffleOptions(ShuffledReverseNeighbour.Bytes, (count - 1) / PartitionNodes + 1, memoryBytes), paths, space.Memory.Io);
        using PageLease lease = space.Memory.Rent();
        var adder = new Adder(graph, shuffler);
        LinkTable links = graph.Graph.Links;
        int together = PagedMemory.RowsTogether(graph.Nearest.RowBytes);
        for (int first = 0; first < count; first += together)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int rows = Math.Min(together, count - first);
            lease.Begin();
            graph.Nearest.Ask(lease, first, rows);
            lease.Fetch();
            for (int row = first; row < first + rows; row++)
                adder.Add(row, graph.Nearest.Of(row, AffinityRanker.Neighbours), isLink: false);
        }

        together = PagedMemory.RowsTogether(links.RowBytes);
        for (int first = 0; first < count; first += together)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int rows = Math.Min(together, count - first);
            lease.Begin();
            links.Ask(lease, first, rows);
            lease.Fetch();
            for (int row = first; row < first + rows; row++)
                adder.Add(row, links.Links(row), isLink: true);
        }

        return shuffler.Complete();
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

    /// <summary>Collects the ties to the nodes of neighbouring partitions.</summary>
    /// <param name="ties">Receives them.</param>
    /// <param name="firstPartition">The first partition.</param>
    /// <param name="endPartition">The one behind the last.</param>
    /// <param name="count">Nodes of these partitions.</param>
    public void Collect(ReverseNeighbours ties, int firstPartition, int endPartition, int count)
    {
        long bytes = _partitions.RowsOf(firstPartition, endPartition) * ShuffledReverseNeighbour.Bytes;
        if (_rows is null || (long)_rows.Length < bytes)
        {
            _rows?.Dispose();
            _rows = null;
            _rows = new NativeBuffer((nuint)Math.Max(bytes, ShuffledReverseNeighbour.Bytes));
        }

        _partitions.Read(firstPartition, endPartition, _rows.Pointer, (long)_rows.Length);
        ties.Take(
            new ReadOnlySpan<ShuffledReverseNeighbour>(_rows.Pointer, checked((int)(bytes / ShuffledReverseNeighbour.Bytes))),
            firstPartition * PartitionNodes, count);
    }

    /// <summary>Closes the files.</summary>
    public void Dispose()
    {
        _rows?.Dispose();
        _partitions.Dispose();
    }

    private sealed class Adder(MergedGraph graph, PartitionShuffler shuffler)
    {
        private readonly ShuffledReverseNeighbour[] _rows =
            new ShuffledReverseNeighbour[Math.Max(AffinityRanker.Neighbours, graph.Graph.Links.MaxDegree)];
        private readonly uint[] _partitions = new uint[Math.Max(AffinityRanker.Neighbours, graph.Graph.Links.MaxDegree)];

        public void Add(int row, ReadOnlySpan<int> targets, bool isLink)
        {
            for (int i = 0; i < targets.Length; i++)
            {
                uint target = (uint)graph.IdOf[targets[i]];
                _rows[i] = new ShuffledReverseNeighbour(target, (uint)graph.IdOf[row], isLink ? ReverseNeighbours.Link : (byte)i);
                _partitions[i] = target / PartitionNodes;
            }

            shuffler.Add(MemoryMarshal.AsBytes(_rows.AsSpan(0, targets.Length)), _partitions.AsSpan(0, targets.Length));
        }
    }
}

using System.Runtime.InteropServices;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;
using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Layout;

/// <summary>
/// Applications to pages, brought into the order of pages by way of scratch files; of a few pages at a time they are in memory.
/// </summary>
/// <remarks>Bound to the thread that first collects. Freed by <see cref="Dispose"/>, scratch files included.</remarks>
internal sealed unsafe class ShuffledLinkRequests : ILinkRequests
{
    /// <summary>Nodes of the pages of a partition: a window of them is read at a time.</summary>
    public const int PartitionNodes = 1024;

    /// <summary>Nodes that a thread ranks before it hands their applications over.</summary>
    public const int BlockNodes = 512;

    private readonly ShuffledPartitions _partitions;
    private readonly int _pagesOfPartition;
    private readonly int _pages;
    private readonly long _windowBytes;
    private NativeBuffer? _rows;

    private ShuffledLinkRequests(ShuffledPartitions partitions, int pagesOfPartition, int pages, long windowBytes)
    {
        _partitions = partitions;
        _pagesOfPartition = pagesOfPartition;
        _pages = pages;
        _windowBytes = windowBytes;
    }

    /// <summary>Ranks the pages around all nodes.</summary>
    /// <param name="graph">What pages are made of.</param>
    /// <param name="space">Where scratch files go.</param>
    /// <param name="memory">Bytes that may be held.</param>
    /// <param name="length">Applications of a node, at most.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="onNodes">Told the nodes that are done; may be called by several threads at a time.</param>
    /// <param name="cancellationToken">Observed throughout.</param>
    public static ShuffledLinkRequests Of(
        MergedGraph graph, BuildSpace space, LinkRequestMemory memory, int length, int threads, Action<int> onNodes,
        CancellationToken cancellationToken)
    {
        int pagesOfPartition = Math.Max(1, PartitionNodes / graph.Layout.NodesPerPage);
        ShufflePaths paths = space.ShufflePaths("applications");
        ShufflePaths tiePaths = space.ShufflePaths("ties");
        ShuffledLayout layout;
        try
        {
            ShuffledLayout ties = ShuffledReverseNeighbours.Shuffle(graph, space, tiePaths, memory.ShuffleBytes, cancellationToken);
            layout = Shuffle(graph, space, paths, memory, ties, tiePaths, pagesOfPartition, length, threads, onNodes, cancellationToken);
        }
        finally
        {
            tiePaths.Delete(space.Memory.Io);
        }

        try
        {
            var partitions = new ShuffledPartitions(
                layout, paths, space.Memory.Device, space.Memory.Io, space.Memory.Logger, openDevice: space.Memory.OpenDevice);
            return new ShuffledLinkRequests(partitions, pagesOfPartition, graph.PageCount, memory.WindowBytes);
        }
        catch
        {
            paths.Delete(space.Memory.Io);
            throw;
        }
    }

    /// <inheritdoc/>
    public int EndOfRange(int firstPage) =>
        (int)Math.Min(_pages, (long)_partitions.WindowEnd(firstPage / _pagesOfPartition, _windowBytes) * _pagesOfPartition);

    /// <inheritdoc/>
    public void Collect(LinkRequesters applicants, int firstPage, int endPage, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        int first = firstPage / _pagesOfPartition, end = (endPage - 1) / _pagesOfPartition + 1;
        long bytes = _partitions.RowsOf(first, end) * ShuffledLinkRequest.Bytes;
        if (_rows is null || (long)_rows.Length < bytes)
        {
            // Only of a page to which very many apply is there more than a window at a time.
            long room = Math.Max(bytes, _windowBytes);
            _rows?.Dispose();
            _rows = null;
            _rows = new NativeBuffer((nuint)room);
            applicants.Reserve(checked((int)(room / ShuffledLinkRequest.Bytes)));
        }

        _partitions.Read(first, end, _rows.Pointer, (long)_rows.Length);
        applicants.Take(
            new ReadOnlySpan<ShuffledLinkRequest>(_rows.Pointer, checked((int)(bytes / ShuffledLinkRequest.Bytes))), firstPage,
            endPage - firstPage);
    }

    /// <summary>Closes the scratch files and deletes them.</summary>
    public void Dispose()
    {
        _rows?.Dispose();
        _partitions.Dispose();
    }

    private static ShuffledLayout Shuffle(
        MergedGraph graph,
        BuildSpace space,
        ShufflePaths paths,
        LinkRequestMemory memory,
        ShuffledLayout ties,
        ShufflePaths tiePaths,
        int pagesOfPartition,
        int length,
        int threads,
        Action<int> onNodes,
        CancellationToken cancellationToken)
    {
        int partitions = (graph.PageCount - 1) / pagesOfPartition + 1;
        uint nodesOfPartition = (uint)pagesOfPartition * (uint)graph.Layout.NodesPerPage;
        List<int> windows = ShuffledReverseNeighbours.Windows(ties, memory.WindowBytes / threads);
        using var shuffler =
            new PartitionShuffler(new ShuffleOptions(ShuffledLinkRequest.Bytes, partitions, memory.ShuffleBytes), paths, space.Memory.Io);
        var adding = new Lock();
        WorkQueue.Run(
            threads,
            windows.Count,
            () => new Worker(graph, length, new ShuffledReverseNeighbours(ties, tiePaths, space)),
            (worker, window) =>
            {
                int first = worker.Collect(window == 0 ? 0 : windows[window - 1], windows[window], out int nodes);
                for (int node = first; node < first + nodes; node += BlockNodes)
                {
                    int block = Math.Min(BlockNodes, first + nodes - node);
                    worker.Run(node, block, nodesOfPartition, cancellationToken);

                    // In whatever order blocks come: the rows of a page are sorted when they are read, and no two of them are alike.
                    lock (adding)
                        shuffler.Add(MemoryMarshal.AsBytes(worker.Rows), worker.Partitions);
                    onNodes(block);
                }
            },
            cancellationToken);
        return shuffler.Complete();
    }

    private sealed class Worker(MergedGraph graph, int length, ShuffledReverseNeighbours ties) : IDisposable
    {
        private readonly RankWorker _ranks = new(graph);
        private readonly uint[] _ranked = new uint[BlockNodes * length];
        private readonly ShuffledLinkRequest[] _rows = new ShuffledLinkRequest[BlockNodes * length];
        private readonly uint[] _partitions = new uint[BlockNodes * length];
        private int _count;

        public ReadOnlySpan<ShuffledLinkRequest> Rows => _rows.AsSpan(0, _count);

        public ReadOnlySpan<uint> Partitions => _partitions.AsSpan(0, _count);

        /// <summary>Collects the ties to the nodes of neighbouring partitions; returns the first of these nodes.</summary>
        public int Collect(int firstPartition, int endPartition, out int nodes)
        {
            int first = firstPartition * ShuffledReverseNeighbours.PartitionNodes;
            nodes = (int)Math.Min((long)endPartition * ShuffledReverseNeighbours.PartitionNodes, graph.Order.Length) - first;
            ties.Collect(_ranks.Inbound, firstPartition, endPartition, nodes);
            return first;
        }

        public void Run(int first, int nodes, uint nodesOfPartition, CancellationToken cancellationToken)
        {
            _ranks.Run(first, nodes, node => _ranked.AsSpan((node - first) * length, length), cancellationToken);
            _count = 0;
            for (int node = 0; node < nodes; node++)
            {
                ReadOnlySpan<uint> owners = _ranked.AsSpan(node * length, length);
                for (int rank = 0; rank < length && owners[rank] != PageLinkRequests.None; rank++)
                {
                    _partitions[_count] = owners[rank] / nodesOfPartition;
                    _rows[_count++] = new ShuffledLinkRequest((uint)(first + node), owners[rank], (ushort)rank);
                }
            }
        }

        public void Dispose()
        {
            ties.Dispose();
            _ranks.Dispose();
        }
    }
}

using System.Runtime.InteropServices;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Layout;

/// <summary>Link requests, shuffled into the order of pages through scratch files; those of a few pages at a time are in memory.</summary>
/// <remarks>
/// Built beside <see cref="MemoryLinkRequests"/>, whose table would be paged as a whole for each part and range, see
/// docs/decisions.md#two-roads-to-links. Bound to the thread that first collects. Freed by <see cref="Dispose"/>, scratch files included.
/// </remarks>
internal sealed class ShuffledLinkRequests(ShuffledPartitions partitions, int pagesOfPartition, int pages, long windowBytes) : ILinkRequests
{
    /// <summary>Nodes of the pages of a partition; a window of partitions is read at a time.</summary>
    public const int PartitionNodes = 1024;

    /// <summary>
    /// Parts of the nodes: the reverse neighbours of one are on disk at a time, for a pass over all links on one thread, about a hundredth
    /// of a build's time. With three parts, 30 million vectors need 16 GB less.
    /// </summary>
    public const int Parts = 3;

    /// <summary>Nodes that a thread ranks before it adds their requests to the shuffle.</summary>
    public const int BlockNodes = 512;

    private readonly ShuffledPartitions _partitions = partitions;
    private readonly int _pagesOfPartition = pagesOfPartition;

    /// <summary>
    /// Ranks the pages around all nodes, with at most <paramref name="length"/> requests each; several threads may report nodes.
    /// </summary>
    public static ShuffledLinkRequests Of(
        MergedGraph graph, BuildSpace space, LinkRequestMemory memory, int length, int threads, Action<int> onNodes,
        CancellationToken cancellationToken)
    {
        int pagesOfPartition = Math.Max(1, PartitionNodes / graph.Fill);
        ShufflePaths paths = space.ShufflePaths("requests");
        ShuffledLayout layout;
        var options = new ShuffleOptions(ShuffledLinkRequest.Bytes, (graph.PageCount - 1) / pagesOfPartition + 1, memory.GroupBytes);
        using (PartitionShuffler shuffler = space.CreateShuffler(options, paths))
        {
            // Whole partitions of reverse neighbours.
            int count = graph.Order.Length, partitions = ((count - 1) / ShuffledReverseNeighbours.PartitionNodes) + 1;
            long part = (((partitions - 1) / Parts) + 1L) * ShuffledReverseNeighbours.PartitionNodes;
            for (long first = 0; first < count; first += part)
                RankPart(shuffler, (int)first, (int)Math.Min(part, count - first));
            layout = shuffler.Complete();
        }

        try
        {
            ShuffledPartitions partitions = space.OpenShuffle(layout, paths, deletes: true);
            return new ShuffledLinkRequests(partitions, pagesOfPartition, graph.PageCount, memory.WindowBytes);
        }
        catch
        {
            paths.Delete(space.Memory.Io);
            throw;
        }

        void RankPart(PartitionShuffler shuffler, int firstOfPart, int nodesOfPart)
        {
            ShufflePaths reversePaths = space.ShufflePaths("reverse");
            try
            {
                ShuffledLayout reverse = ShuffledReverseNeighbours.Shuffle(
                    graph, firstOfPart, nodesOfPart, space, reversePaths, memory.GroupBytes, cancellationToken);
                List<int> windows = ShuffledReverseNeighbours.Windows(reverse, memory.WindowBytes / threads);
                var adding = new Lock();
                WorkQueue.Run(
                    threads,
                    windows.Count,
                    () => new Worker(
                        graph, length, (uint)(pagesOfPartition * graph.Fill), firstOfPart + nodesOfPart,
                        new ShuffledReverseNeighbours(reverse, reversePaths, space, firstOfPart)),
                    (worker, window) =>
                    {
                        int first = worker.Collect(window == 0 ? 0 : windows[window - 1], windows[window], out int nodes);
                        for (int node = first; node < first + nodes; node += BlockNodes)
                        {
                            int block = Math.Min(BlockNodes, first + nodes - node);
                            worker.Rank(node, block, cancellationToken);

                            // Blocks come in any order: the rows of a page are sorted when they are read, and no two are equal.
                            lock (adding)
                                shuffler.Add(MemoryMarshal.AsBytes(worker.Rows), worker.Partitions);
                            onNodes(block);
                        }
                    },
                    cancellationToken);
            }
            finally
            {
                reversePaths.Delete(space.Memory.Io);
            }
        }
    }

    public int EndOfRange(int firstPage) =>
        (int)Math.Min(pages, (long)_partitions.WindowEnd(firstPage / _pagesOfPartition, windowBytes) * _pagesOfPartition);

    public void Collect(LinkRequesters requesters, int firstPage, int endPage, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        int first = firstPage / _pagesOfPartition, end = (endPage - 1) / _pagesOfPartition + 1;

        // Only a page with very many requests takes more than a window.
        long room = Math.Max(_partitions.RowsOf(first, end) * ShuffledLinkRequest.Bytes, windowBytes);
        ReadOnlySpan<ShuffledLinkRequest> rows = _partitions.Window<ShuffledLinkRequest>(first, end, room);
        requesters.Reserve(checked((int)(room / ShuffledLinkRequest.Bytes)));
        requesters.Take(rows, firstPage, endPage - firstPage);
    }

    public void Dispose() => _partitions.Dispose();

    private sealed class Worker(MergedGraph graph, int length, uint nodesOfPartition, int endNode, ShuffledReverseNeighbours reverse)
        : IDisposable
    {
        private readonly RankWorker _ranks = new(graph);
        private readonly uint[] _ranked = new uint[BlockNodes * length];
        private readonly ShuffledLinkRequest[] _rows = new ShuffledLinkRequest[BlockNodes * length];
        private readonly uint[] _partitions = new uint[BlockNodes * length];
        private int _count;

        public ReadOnlySpan<ShuffledLinkRequest> Rows => _rows.AsSpan(0, _count);

        public ReadOnlySpan<uint> Partitions => _partitions.AsSpan(0, _count);

        // Collects the reverse neighbours of the nodes of neighbouring partitions; returns the first of these nodes.
        public int Collect(int firstPartition, int endPartition, out int nodes)
        {
            int first = reverse.FirstNodeOf(firstPartition);
            nodes = Math.Min(reverse.FirstNodeOf(endPartition), endNode) - first;
            reverse.Collect(_ranks.Inbound, firstPartition, endPartition, nodes);
            return first;
        }

        public void Rank(int first, int nodes, CancellationToken cancellationToken)
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
            reverse.Dispose();
            _ranks.Dispose();
        }
    }
}

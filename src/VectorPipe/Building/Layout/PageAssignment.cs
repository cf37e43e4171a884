using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Layout;

/// <summary>Assigns rows to merged pages, chunk by chunk, each on one thread.</summary>
/// <remarks>
/// A chunk is a stretch of leaf order, so its rows are near each other. Its size depends on the data, and on memory that does not hold a
/// chunk, but not on the number of threads.
/// </remarks>
internal static class PageAssignment
{
    /// <summary>Rows of a chunk, about: a quarter as many cost 3 to 4 % more reads (docs/decisions.md#packing).</summary>
    public const int ChunkRows = 1 << 20;

    /// <summary>Rows of the smallest chunk, about; a build without memory for it is refused.</summary>
    public const int LeastChunkRows = 1 << 14;

    /// <summary>Bytes that a thread takes for a chunk.</summary>
    public static long WorkerBytes(long count, int nodesPerPage, int chunkRows)
    {
        long rows = RowsOfChunk(count, nodesPerPage, chunkRows);
        return rows * (ChunkAdjacency.BytesOfPoint + 2 * sizeof(int)) + ((rows - 1) / nodesPerPage + 1) * (sizeof(long) + sizeof(int));
    }

    public static long ChunkCount(long count, int nodesPerPage, int chunkRows) =>
        (count - 1) / RowsOfChunk(count, nodesPerPage, chunkRows) + 1;

    /// <summary>Returns the row of each position; several threads may report rows.</summary>
    public static int[] Run(
        NearestTable nearest, PagedMemory? paging, int nodesPerPage, ulong seed, int threads, Action<int> onRows,
        CancellationToken cancellationToken, int chunkRows = ChunkRows)
    {
        int count = nearest.Count;
        int[] order = new int[count];
        int rowsOfChunk = (int)RowsOfChunk(count, nodesPerPage, chunkRows);
        WorkQueue.Run(
            threads,
            (count - 1) / rowsOfChunk + 1,
            () => new Worker(Math.Min(rowsOfChunk, count), paging),
            (worker, chunk) =>
            {
                int first = chunk * rowsOfChunk;
                int rows = Math.Min(rowsOfChunk, count - first);
                worker.Run(nearest, first, nodesPerPage, order.AsSpan(first, rows), seed + (ulong)chunk, cancellationToken);
                onRows(rows);
            },
            cancellationToken);
        return order;
    }

    // Chunks are whole pages of about the same number; only the last page of all may be short.
    private static long RowsOfChunk(long count, int nodesPerPage, int chunkRows)
    {
        long pages = (count - 1) / nodesPerPage + 1;
        long chunks = (count - 1) / chunkRows + 1;
        return ((pages - 1) / chunks + 1) * nodesPerPage;
    }

    private sealed class Worker : IDisposable
    {
        private readonly PageLease _lease;
        private readonly ChunkAdjacency _adjacency;
        private readonly ChunkPacker _packer = new();
        private readonly PageSwapper _swapper = new();
        private readonly int[] _pageOf;
        private readonly int[] _scratch;

        public Worker(int rows, PagedMemory? paging)
        {
            _lease = PageLease.Rent(paging);
            _adjacency = new ChunkAdjacency(rows);
            _pageOf = new int[rows];
            _scratch = new int[rows];
        }

        public void Run(NearestTable nearest, int first, int nodesPerPage, Span<int> order, ulong seed, CancellationToken cancellationToken)
        {
            Span<int> pageOf = _pageOf.AsSpan(0, order.Length), scratch = _scratch.AsSpan(0, order.Length);
            _adjacency.Load(nearest, first, order.Length, _lease, scratch, cancellationToken);
            _lease.End();
            _packer.Run(_adjacency, nodesPerPage, pageOf, order, scratch, cancellationToken);
            _swapper.Run(_adjacency, nodesPerPage, pageOf, order, scratch, seed, cancellationToken);
            SortPages(order, nodesPerPage, scratch);
            foreach (ref int row in order)
                row += first;
        }

        public void Dispose()
        {
            _adjacency.Dispose();
            _lease.Dispose();
        }

        // Orders pages by their rows, which are in leaf order: links then lead to near ids, and take fewer bits. The last page keeps its
        // place, since it may be short.
        private static void SortPages(Span<int> order, int nodesPerPage, Span<int> unsorted)
        {
            int pages = order.Length / nodesPerPage;
            var keys = new long[pages];
            var numbers = new int[pages];
            for (int page = 0; page < pages; page++)
            {
                numbers[page] = page;
                foreach (int row in order.Slice(page * nodesPerPage, nodesPerPage))
                    keys[page] += row;
            }

            Array.Sort(keys, numbers);
            order[..(pages * nodesPerPage)].CopyTo(unsorted);
            for (int page = 0; page < pages; page++)
                unsorted.Slice(numbers[page] * nodesPerPage, nodesPerPage).CopyTo(order[(page * nodesPerPage)..]);
        }
    }
}

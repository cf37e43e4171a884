namespace VectorPipe.Building.Layout;

/// <summary>Lays rows into pages of the merged layout: chunk by chunk, each by one thread.</summary>
/// <remarks>
/// A chunk is a stretch of leaf order, so its rows are near each other; its size follows from the data alone, so the pages are the same at any number of threads and in any
/// memory.
/// </remarks>
internal static class PageAssignment
{
    // A quarter as many cost 3 to 4 % more reads on a million vectors: rows at the borders lose half of their neighbours. A chunk takes about 150 bytes a row.

    /// <summary>Rows of a chunk, about.</summary>
    public const int ChunkRows = 1 << 20;

    /// <summary>Assigns all rows.</summary>
    /// <param name="nearest">Nearest rows of each row.</param>
    /// <param name="nodesPerPage">Rows of a page.</param>
    /// <param name="seed">Seed of the order in which rows are looked at.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="onRows">Told the rows that are done; may be called by several threads at a time.</param>
    /// <param name="cancellationToken">Observed throughout.</param>
    /// <param name="chunkRows">Rows of a chunk, about.</param>
    /// <returns>Internal id to row.</returns>
    public static int[] Run(NearestLists nearest, int nodesPerPage, ulong seed, int threads, Action<int> onRows, CancellationToken cancellationToken, int chunkRows = ChunkRows)
    {
        int count = nearest.Count;
        int[] order = new int[count];

        // Chunks of whole pages and about the same size; only the last page of the last one may be short.
        int pages = (count - 1) / nodesPerPage + 1;
        int chunks = (count - 1) / chunkRows + 1;
        int pagesOfChunk = (pages - 1) / chunks + 1;
        int rowsOfChunk = pagesOfChunk * nodesPerPage;
        WorkQueue.Run(
            threads,
            (count - 1) / rowsOfChunk + 1,
            () => new Worker(),
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

    private sealed class Worker : IDisposable
    {
        private readonly ChunkAdjacency _adjacency = new();
        private readonly ChunkPacker _packer = new();
        private readonly PageSwapper _swapper = new();
        private int[] _pageOf = [];

        public void Run(NearestLists nearest, int first, int nodesPerPage, Span<int> order, ulong seed, CancellationToken cancellationToken)
        {
            _adjacency.Load(nearest, first, order.Length);
            if (_pageOf.Length < order.Length)
                _pageOf = new int[order.Length];
            Span<int> pageOf = _pageOf.AsSpan(0, order.Length);
            _packer.Run(_adjacency, nodesPerPage, pageOf, order, cancellationToken);
            _swapper.Run(_adjacency, nodesPerPage, pageOf, order, seed, cancellationToken);
            SortPages(order, nodesPerPage);
            foreach (ref int row in order)
                row += first;
        }

        // In the order of their rows, which is leaf order: links then lead to near ids, and take fewer bits. The last page stays where it is, since it may be short.
        private static void SortPages(Span<int> order, int nodesPerPage)
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
            int[] unsorted = order[..(pages * nodesPerPage)].ToArray();
            for (int page = 0; page < pages; page++)
                unsorted.AsSpan(numbers[page] * nodesPerPage, nodesPerPage).CopyTo(order[(page * nodesPerPage)..]);
        }

        public void Dispose()
        {
        }
    }
}

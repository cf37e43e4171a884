using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Layout;

/// <summary>Assigns rows to merged pages, chunk by chunk.</summary>
/// <remarks>
/// A chunk is a stretch of leaf order, so its rows are near each other. Its size depends on the data, and on memory that does not hold a
/// chunk, but not on the number of threads. Most of the time goes to the swaps of a chunk, which threads share.
/// </remarks>
internal static class PageAssignment
{
    /// <summary>Rows of a chunk, about: a quarter as many cost 3 to 4 % more reads (docs/decisions.md#packing).</summary>
    public const int ChunkRows = 1 << 20;

    /// <summary>Rows of the smallest chunk, about; a build without memory for it is refused.</summary>
    public const int LeastChunkRows = 1 << 14;

    /// <summary>Bytes that a chunk takes.</summary>
    public static long ChunkBytes(long count, int nodesPerPage, int chunkRows)
    {
        long rows = RowsOfChunk(count, nodesPerPage, chunkRows);
        return rows * (ChunkAdjacency.BytesOfPoint + (3 * sizeof(int))) + PageSwapper.MemoryBytes(rows, nodesPerPage)
            + ((rows - 1) / nodesPerPage + 1) * (sizeof(long) + sizeof(int));
    }

    /// <summary>Returns the row of each position.</summary>
    public static int[] Run(
        NearestTable nearest, PagedMemory? paging, int nodesPerPage, ulong seed, int threads, Action<int> onRows,
        CancellationToken cancellationToken, int chunkRows = ChunkRows)
    {
        int count = nearest.Count;
        int[] order = new int[count];
        int rowsOfChunk = (int)RowsOfChunk(count, nodesPerPage, chunkRows);
        using var chunk = new Chunk(Math.Min(rowsOfChunk, count), nodesPerPage, threads, paging);
        for (int first = 0; first < count; first += rowsOfChunk, seed++)
        {
            int rows = Math.Min(rowsOfChunk, count - first);
            chunk.Run(nearest, first, order.AsSpan(first, rows), seed, cancellationToken);
            onRows(rows);
        }

        return order;
    }

    // Chunks are whole pages of about the same number; only the last page of all may be short.
    private static long RowsOfChunk(long count, int nodesPerPage, int chunkRows)
    {
        long pages = (count - 1) / nodesPerPage + 1;
        long chunks = (count - 1) / chunkRows + 1;
        return ((pages - 1) / chunks + 1) * nodesPerPage;
    }

    private sealed class Chunk(int rows, int nodesPerPage, int threads, PagedMemory? paging) : IDisposable
    {
        private readonly PageLease _lease = PageLease.Rent(paging);
        private readonly ChunkAdjacency _adjacency = new(rows);
        private readonly ChunkPacker _packer = new();
        private readonly PageSwapper _swapper = new(rows, nodesPerPage);
        private readonly int[] _pageOf = new int[rows];
        private readonly int[] _members = new int[rows];
        private readonly int[] _scratch = new int[rows];

        public void Run(NearestTable nearest, int first, Span<int> order, ulong seed, CancellationToken cancellationToken)
        {
            _adjacency.Load(nearest, first, order.Length, _lease, _scratch, cancellationToken);
            _lease.End();
            _packer.Run(_adjacency, nodesPerPage, _pageOf.AsSpan(0, order.Length), _members, _scratch, cancellationToken);
            _swapper.Run(_adjacency, nodesPerPage, _pageOf, _members, _scratch, seed, threads, cancellationToken);
            _members.AsSpan(0, order.Length).CopyTo(order);
            SortPages(order, nodesPerPage, _scratch);
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

using System.Diagnostics;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Building.Layout;

/// <summary>Swaps points between pages while that ties the points of pages together more.</summary>
/// <remarks>
/// Threads look for the swaps of a batch of points; then these are made one after another. Where an earlier swap of the batch has changed
/// one of the two pages, the swap is looked for again: so each gains what was computed, and the result does not depend on the threads. Not
/// thread-safe.
/// </remarks>
internal sealed class PageSwapper
{
    private const int Passes = 5;

    // A pass that moves a smaller share is the last: further ones save no measurable reads.
    private const double LeastSwaps = 0.0025;

    // A batch is small beside its chunk: what is looked for again is looked for by one thread.
    private const int BatchesOfChunk = 256;
    private const int LeastBatch = 256;

    // Points that a thread takes at once.
    private const int PointsTogether = 64;

    private readonly int[] _slots;
    private readonly int[] _changedIn;
    private int _batch;

    /// <summary>Takes memory for chunks of at most so many points.</summary>
    public PageSwapper(int points, int nodesPerPage)
    {
        _slots = new int[BatchPoints(points)];
        _changedIn = new int[PagesOf(points, nodesPerPage)];
    }

    /// <summary>Bytes for chunks of at most so many points.</summary>
    public static long MemoryBytes(long points, int nodesPerPage) => (BatchPoints(points) + PagesOf(points, nodesPerPage)) * sizeof(int);

    /// <summary>Improves the pages of a chunk in place.</summary>
    /// <param name="adjacency">Ties of the chunk.</param>
    /// <param name="nodesPerPage">Points of a page.</param>
    /// <param name="pageOf">The page of each point.</param>
    /// <param name="members">The points, page after page.</param>
    /// <param name="visits">Room for a number per point.</param>
    /// <param name="seed">Seed of the order in which points are visited.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="cancellationToken">Ends the work early.</param>
    public void Run(
        ChunkAdjacency adjacency, int nodesPerPage, int[] pageOf, int[] members, int[] visits, ulong seed, int threads,
        CancellationToken cancellationToken)
    {
        int count = adjacency.Count, batchPoints = (int)BatchPoints(count);
        Array.Clear(_changedIn);
        _batch = 0;
        Shuffle(visits.AsSpan(0, count), seed);
        var search = new SwapSearch(adjacency, nodesPerPage, pageOf, members);
        int swaps = int.MaxValue;
        for (int pass = 0; pass < Passes && swaps > LeastSwaps * count; pass++)
        {
            swaps = 0;
            for (int first = 0; first < count; first += batchPoints)
            {
                var points = new ArraySegment<int>(visits, first, Math.Min(batchPoints, count - first));
                Find(search, points, threads, cancellationToken);
                swaps += Make(search, points, nodesPerPage, pageOf, members.AsSpan(0, count));
            }
        }
    }

    private static long BatchPoints(long points) => Math.Max(LeastBatch, points / BatchesOfChunk);

    private static long PagesOf(long points, int nodesPerPage) => ((points - 1) / nodesPerPage) + 1;

    private static void Shuffle(Span<int> visits, ulong seed)
    {
        var random = new SplitMix64(seed);
        for (int i = 0; i < visits.Length; i++)
        {
            int j = (int)(random.Next() % (ulong)(i + 1));
            visits[i] = visits[j];
            visits[j] = i;
        }
    }

    private void Find(SwapSearch search, ArraySegment<int> points, int threads, CancellationToken cancellationToken)
    {
        int items = ((points.Count - 1) / PointsTogether) + 1;
        Workers.Run(
            Math.Min(threads, items),
            items,
            (_, shared) =>
            {
                while (shared.TryTake(out int item))
                {
                    for (int i = item * PointsTogether, end = Math.Min(points.Count, i + PointsTogether); i < end; i++)
                        _slots[i] = search.Best(points[i]);
                }
            },
            cancellationToken);
    }

    private int Make(SwapSearch search, ArraySegment<int> points, int nodesPerPage, int[] pageOf, Span<int> members)
    {
        _batch++;
        int swaps = 0;
        for (int i = 0; i < points.Count; i++)
        {
            int slot = _slots[i], point = points[i], home = pageOf[point];
            if (slot != SwapSearch.None && (_changedIn[home] == _batch || _changedIn[slot / nodesPerPage] == _batch))
                slot = search.Best(point);
            if (slot == SwapSearch.None)
                continue;
            int page = slot / nodesPerPage, first = home * nodesPerPage, moved = members[slot];
            Debug.Assert(page != home, "a swap is between two pages");
            int slotOfPoint = first + members.Slice(first, Math.Min(nodesPerPage, members.Length - first)).IndexOf(point);
            (members[slot], members[slotOfPoint]) = (point, moved);
            (pageOf[point], pageOf[moved]) = (page, home);
            (_changedIn[home], _changedIn[page]) = (_batch, _batch);
            swaps++;
        }

        return swaps;
    }
}

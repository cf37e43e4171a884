using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Building.Layout;

/// <summary>Swaps points between pages while that ties the points of pages together more.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class PageSwapper
{
    private const int Passes = 5;
    private const int PagesTried = 3;

    // A pass that moves a smaller share is the last: further ones save no measurable reads.
    private const double LeastSwaps = 0.0025;

    private const int CancellationStride = 4096;

    private readonly List<(int Page, int Weight)> _pages = [];

    /// <summary>Improves the pages of a chunk in place; <paramref name="visits"/> has room for a number per point.</summary>
    public void Run(
        ChunkAdjacency adjacency, int nodesPerPage, Span<int> pageOf, Span<int> members, Span<int> visits, ulong seed,
        CancellationToken cancellationToken)
    {
        int count = adjacency.Count;
        Shuffle(visits[..count], seed);
        int swaps = int.MaxValue;
        for (int pass = 0; pass < Passes && swaps > LeastSwaps * count; pass++)
        {
            swaps = 0;
            for (int i = 0; i < count; i++)
            {
                if (i % CancellationStride == 0)
                    cancellationToken.ThrowIfCancellationRequested();
                if (TrySwap(adjacency, nodesPerPage, pageOf, members, visits[i]))
                    swaps++;
            }
        }
    }

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

    private bool TrySwap(ChunkAdjacency adjacency, int nodesPerPage, Span<int> pageOf, Span<int> members, int point)
    {
        int home = pageOf[point];
        int atHome = WeighPages(adjacency, pageOf, point, home);
        for (int tried = 0; tried < PagesTried; tried++)
        {
            int best = -1;
            for (int i = 0; i < _pages.Count; i++)
            {
                if (_pages[i].Weight > atHome && (best < 0 || _pages[i].Weight > _pages[best].Weight))
                    best = i;
            }

            if (best < 0)
                return false;
            (int page, int weight) = _pages[best];
            _pages.RemoveAt(best);
            if (TrySwapWith(adjacency, nodesPerPage, pageOf, members, point, home, page, weight - atHome))
                return true;
        }

        return false;
    }

    private bool TrySwapWith(
        ChunkAdjacency adjacency, int nodesPerPage, Span<int> pageOf, Span<int> members, int point, int home, int page, int gain)
    {
        int first = page * nodesPerPage;
        int end = Math.Min(members.Length, first + nodesPerPage);
        int best = -1, most = 0;
        for (int slot = first; slot < end; slot++)
        {
            int other = members[slot];
            ChunkAdjacency.Ties ties = adjacency.Of(other);
            int change = gain;
            for (int i = 0; i < ties.Count; i++)
            {
                int target = ties.Target(i);
                int of = pageOf[target];
                if (of == home)
                    change += target == point ? -ties.Weight(i) : ties.Weight(i);
                else if (of == page)
                    change -= ties.Weight(i);
            }

            if (change > most)
                (best, most) = (slot, change);
        }

        if (best < 0)
            return false;
        int moved = members[best];
        int slotOfPoint = home * nodesPerPage
            + members.Slice(home * nodesPerPage, Math.Min(nodesPerPage, members.Length - home * nodesPerPage)).IndexOf(point);
        members[best] = point;
        members[slotOfPoint] = moved;
        pageOf[point] = page;
        pageOf[moved] = home;
        return true;
    }

    // Collects the other pages that a point is tied to; returns its weight in its own.
    private int WeighPages(ChunkAdjacency adjacency, ReadOnlySpan<int> pageOf, int point, int home)
    {
        _pages.Clear();
        int atHome = 0;
        ChunkAdjacency.Ties ties = adjacency.Of(point);
        for (int i = 0; i < ties.Count; i++)
        {
            int page = pageOf[ties.Target(i)];
            int weight = ties.Weight(i);
            if (page == home)
            {
                atHome += weight;
                continue;
            }

            int known = 0;
            while (known < _pages.Count && _pages[known].Page != page)
                known++;
            if (known == _pages.Count)
                _pages.Add((page, weight));
            else
                _pages[known] = (page, _pages[known].Weight + weight);
        }

        return atHome;
    }
}

using VectorPipe.Quantization;

namespace VectorPipe.Building.Layout;

/// <summary>Swaps points between pages for as long as that ties the pages' points together more.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class PageSwapper
{
    private const int Passes = 5;
    private const int PagesTried = 3;

    // A pass that moves fewer is the last: the reads that further ones save cannot be measured.
    private const double LeastSwaps = 0.0025;

    private const int CancellationStride = 4096;

    private readonly List<(int Page, int Weight)> _pages = [];
    private int[] _visits = [];

    /// <summary>Improves the pages of a chunk.</summary>
    /// <param name="adjacency">The chunk.</param>
    /// <param name="nodesPerPage">Points of a page.</param>
    /// <param name="pageOf">The page of each point; changed.</param>
    /// <param name="members">The points, page by page; changed.</param>
    /// <param name="seed">Seed of the order in which points are visited.</param>
    /// <param name="cancellationToken">Observed every few thousand points.</param>
    public void Run(ChunkAdjacency adjacency, int nodesPerPage, Span<int> pageOf, Span<int> members, ulong seed, CancellationToken cancellationToken)
    {
        int count = adjacency.Count;
        if (_visits.Length < count)
            _visits = new int[count];
        Shuffle(_visits.AsSpan(0, count), seed);
        int swaps = int.MaxValue;
        for (int pass = 0; pass < Passes && swaps > LeastSwaps * count; pass++)
        {
            swaps = 0;
            for (int i = 0; i < count; i++)
            {
                if (i % CancellationStride == 0)
                    cancellationToken.ThrowIfCancellationRequested();
                if (TrySwap(adjacency, nodesPerPage, pageOf, members, _visits[i]))
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

    private bool TrySwapWith(ChunkAdjacency adjacency, int nodesPerPage, Span<int> pageOf, Span<int> members, int point, int home, int page, int gain)
    {
        int first = page * nodesPerPage;
        int end = Math.Min(members.Length, first + nodesPerPage);
        int best = -1, most = 0;
        for (int slot = first; slot < end; slot++)
        {
            int other = members[slot];
            ReadOnlySpan<int> targets = adjacency.Targets(other);
            ReadOnlySpan<byte> weights = adjacency.Weights(other);
            int change = gain;
            for (int i = 0; i < targets.Length; i++)
            {
                int target = targets[i];
                int of = pageOf[target];
                if (of == home)
                    change += target == point ? -weights[i] : weights[i];
                else if (of == page)
                    change -= weights[i];
            }

            if (change > most)
                (best, most) = (slot, change);
        }

        if (best < 0)
            return false;
        int moved = members[best];
        int slotOfPoint = home * nodesPerPage + members.Slice(home * nodesPerPage, Math.Min(nodesPerPage, members.Length - home * nodesPerPage)).IndexOf(point);
        members[best] = point;
        members[slotOfPoint] = moved;
        pageOf[point] = page;
        pageOf[moved] = home;
        return true;
    }

    // The pages that a point is tied to, other than its own; returns how much to its own.
    private int WeighPages(ChunkAdjacency adjacency, ReadOnlySpan<int> pageOf, int point, int home)
    {
        _pages.Clear();
        int atHome = 0;
        ReadOnlySpan<int> targets = adjacency.Targets(point);
        ReadOnlySpan<byte> weights = adjacency.Weights(point);
        for (int i = 0; i < targets.Length; i++)
        {
            int page = pageOf[targets[i]];
            if (page == home)
            {
                atHome += weights[i];
                continue;
            }

            int known = 0;
            while (known < _pages.Count && _pages[known].Page != page)
                known++;
            if (known == _pages.Count)
                _pages.Add((page, weights[i]));
            else
                _pages[known] = (page, _pages[known].Weight + weights[i]);
        }

        return atHome;
    }
}

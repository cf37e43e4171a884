namespace VectorPipe.Building.Layout;

/// <summary>Finds the swap between pages that ties the points of a chunk together most.</summary>
/// <remarks>Thread-safe while nothing swaps.</remarks>
/// <param name="adjacency">Ties of the chunk.</param>
/// <param name="nodesPerPage">Points of a page.</param>
/// <param name="pageOf">The page of each point.</param>
/// <param name="members">The points, page after page.</param>
internal sealed class SwapSearch(ChunkAdjacency adjacency, int nodesPerPage, int[] pageOf, int[] members)
{
    /// <summary>The answer where no swap gains.</summary>
    public const int None = -1;

    private const int PagesTried = 3;

    /// <summary>The place of the point with which a point should change places, or <see cref="None"/>.</summary>
    public int Best(int point)
    {
        int home = pageOf[point];
        Span<(int Page, int Weight)> pages = stackalloc (int, int)[ChunkAdjacency.MostTies];
        int atHome = WeighPages(point, home, pages, out int count);
        for (int tried = 0; tried < PagesTried; tried++)
        {
            int best = -1;
            for (int i = 0; i < count; i++)
            {
                if (pages[i].Weight > atHome && (best < 0 || pages[i].Weight > pages[best].Weight))
                    best = i;
            }

            if (best < 0)
                return None;
            int slot = BestOf(point, home, pages[best].Page, pages[best].Weight - atHome);
            if (slot != None)
                return slot;
            pages[best].Weight = 0;
        }

        return None;
    }

    // The best place in a page; the point itself gains some ties by moving there.
    private int BestOf(int point, int home, int page, int gain)
    {
        int best = None, most = 0;
        for (int slot = page * nodesPerPage, end = Math.Min(adjacency.Count, slot + nodesPerPage); slot < end; slot++)
        {
            ChunkAdjacency.Ties ties = adjacency.Of(members[slot]);
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

        return best;
    }

    // Collects the other pages that a point is tied to; returns its weight in its own.
    private int WeighPages(int point, int home, Span<(int Page, int Weight)> pages, out int count)
    {
        int atHome = 0;
        count = 0;
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
            while (known < count && pages[known].Page != page)
                known++;
            if (known == count)
                pages[count++] = (page, weight);
            else
                pages[known].Weight += weight;
        }

        return atHome;
    }
}

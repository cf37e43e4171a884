namespace VectorPipe.Building.Layout;

/// <summary>Fills the pages of a chunk: each page repeatedly takes the point that is tied to it most.</summary>
/// <remarks>
/// Greedy, as in reads-first layouts of disk graphs (Starling, Wang et al. 2024); <see cref="PageSwapper"/> improves on it. Not
/// thread-safe.
/// </remarks>
internal sealed class ChunkPacker
{
    // So many leftover candidates of a full page begin pages of their own, so that neighbouring pages hold neighbours.
    private const int SeedsOfPage = 4;

    private readonly Queue<int> _seeds = new();
    private readonly List<int> _touched = [];
    private int _lowest;

    /// <summary>Fills all pages; only the last may be short. <paramref name="scores"/> has room for a number per point.</summary>
    public void Run(
        ChunkAdjacency adjacency, int nodesPerPage, Span<int> pageOf, Span<int> members, Span<int> scores,
        CancellationToken cancellationToken)
    {
        scores.Clear();
        _seeds.Clear();
        _lowest = 0;
        pageOf.Fill(-1);
        for (int placed = 0, page = 0; placed < adjacency.Count; page++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int end = Math.Min(adjacency.Count, placed + nodesPerPage);
            while (placed < end)
            {
                int point = Best(pageOf, scores);
                if (point < 0)
                    point = NextSeed(pageOf);
                pageOf[point] = page;
                members[placed++] = point;
                Touch(adjacency, point, pageOf, scores);
            }

            LeaveSeeds(pageOf, scores);
        }
    }

    private int Best(ReadOnlySpan<int> pageOf, ReadOnlySpan<int> scores)
    {
        int best = -1, most = 0;
        foreach (int point in _touched)
        {
            if (pageOf[point] < 0 && scores[point] > most)
                (best, most) = (point, scores[point]);
        }

        return best;
    }

    private int NextSeed(ReadOnlySpan<int> pageOf)
    {
        while (_seeds.TryDequeue(out int seed))
        {
            if (pageOf[seed] < 0)
                return seed;
        }

        while (pageOf[_lowest] >= 0)
            _lowest++;
        return _lowest;
    }

    private void Touch(ChunkAdjacency adjacency, int point, ReadOnlySpan<int> pageOf, Span<int> scores)
    {
        ChunkAdjacency.Ties ties = adjacency.Of(point);
        for (int i = 0; i < ties.Count; i++)
        {
            int target = ties.Target(i);
            if (pageOf[target] >= 0)
                continue;
            if (scores[target] == 0)
                _touched.Add(target);
            scores[target] += ties.Weight(i);
        }
    }

    private void LeaveSeeds(ReadOnlySpan<int> pageOf, Span<int> scores)
    {
        int left = SeedsOfPage;
        foreach (int point in _touched)
        {
            scores[point] = 0;
            if (left > 0 && pageOf[point] < 0)
            {
                _seeds.Enqueue(point);
                left--;
            }
        }

        _touched.Clear();
    }
}

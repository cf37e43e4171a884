using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Reference.Vamana;

/// <summary>
/// Chooses a point's links among candidates so that they lead in different directions (RobustPrune, DiskANN 2019, algorithm 2).
/// </summary>
/// <remarks>
/// <para>Candidates are taken from near to far. One is <em>occluded</em> by a chosen one when d(point, candidate) &gt; alpha * d(chosen,
/// candidate),
/// or when it equals a chosen one. With alpha above 1 there are two rounds: what the first, with 1, leaves open fills up in the
/// second.</para>
/// <para>Not thread-safe; one a thread. Grows to the largest candidate set it is given and allocates nothing after.</para>
/// </remarks>
internal sealed class RobustPruner(PointSet points)
{
    private int[] _points = new int[256];
    private float[] _distances = new float[256];

    // Distance of a candidate to the nearest chosen link before it.
    private float[] _nearestChosen = new float[256];
    private float[] _batch = new float[256];

    /// <summary>Distances computed since this pruner was made.</summary>
    public long Computed { get; private set; }

    /// <summary>Chooses links of a point.</summary>
    /// <param name="point">Whose links; left out where it is a candidate itself.</param>
    /// <param name="candidates">Keys of the candidates with their distance to the point, no point twice; sorted by this method.</param>
    /// <param name="alpha">At least 1.</param>
    /// <param name="links">Receives the chosen; its length is the most there may be.</param>
    /// <returns>How many were chosen.</returns>
    public int Prune(int point, Span<ulong> candidates, float alpha, Span<int> links)
    {
        int open = TakeIn(point, candidates);
        int chosen = 0;
        for (float round = 1; open > 0 && chosen < links.Length; round = alpha)
        {
            open = Round(open, round, alpha, links, ref chosen);
            if (round == alpha)
                break;
        }

        return chosen;
    }

    private int TakeIn(int point, Span<ulong> candidates)
    {
        if (candidates.Length > _points.Length)
        {
            int capacity = Math.Max(candidates.Length, _points.Length * 2);
            _points = new int[capacity];
            _distances = new float[capacity];
            _nearestChosen = new float[capacity];
            _batch = new float[capacity];
        }

        RankSort.Sort(candidates);
        int open = 0;
        foreach (ulong key in candidates)
        {
            if (PointKey.Point(key) == point)
                continue;
            _points[open] = PointKey.Point(key);
            _distances[open] = PointKey.Distance(key);
            _nearestChosen[open] = float.PositiveInfinity;
            open++;
        }

        return open;
    }

    // One round over the open candidates. Returns how many stay open, moved to the front in their order.
    private int Round(int open, float round, float alpha, Span<int> links, ref int chosen)
    {
        int kept = 0;
        for (int i = 0; i < open; i++)
        {
            if (IsOccluded(i, round))
            {
                Move(i, kept++);
                continue;
            }

            int link = _points[i];
            links[chosen++] = link;
            if (chosen == links.Length)
                return 0;
            open = Occlude(link, i + 1, open, alpha);
        }

        return kept;
    }

    // Notes a chosen link in the open candidates after it; those that no round can choose any more are dropped.
    private int Occlude(int link, int from, int to, float alpha)
    {
        if (from == to)
            return to;
        Span<float> batch = _batch.AsSpan(0, to - from);
        points.Distances(link, _points.AsSpan(from, to - from), batch);
        Computed += batch.Length;
        int kept = from;
        for (int i = from; i < to; i++)
        {
            _nearestChosen[i] = Math.Min(_nearestChosen[i], batch[i - from]);
            if (!IsOccluded(i, alpha))
                Move(i, kept++);
        }

        return kept;
    }

    private bool IsOccluded(int i, float alpha) => _distances[i] > alpha * _nearestChosen[i] || _nearestChosen[i] == 0;

    private void Move(int from, int to)
    {
        _points[to] = _points[from];
        _distances[to] = _distances[from];
        _nearestChosen[to] = _nearestChosen[from];
    }
}

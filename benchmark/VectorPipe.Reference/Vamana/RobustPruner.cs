using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Reference.Vamana;

/// <summary>Chooses links of a point in different directions (RobustPrune, DiskANN 2019, algorithm 2). Not thread-safe.</summary>
/// <remarks>
/// Candidates are visited from near to far. A chosen link <em>occludes</em> a candidate if d(point, candidate) &gt; alpha * d(chosen,
/// candidate), or if both are equal. With alpha above 1 a first round uses 1, and a second one fills the free links. The buffers grow to
/// the largest candidate set.
/// </remarks>
internal sealed class RobustPruner(PointSet points)
{
    private int[] _points = new int[256];
    private float[] _distances = new float[256];

    // Distance of a candidate to the nearest chosen link before it.
    private float[] _nearestChosen = new float[256];
    private float[] _batch = new float[256];

    /// <summary>Distances computed so far.</summary>
    public long Computed { get; private set; }

    /// <summary>Chooses links of a point, and returns their number.</summary>
    /// <param name="candidates">Distinct candidates with their distances to the point. They are sorted here.</param>
    /// <param name="alpha">At least 1.</param>
    /// <param name="links">Receives the links; its length is their limit.</param>
    public int Prune(int point, Span<ulong> candidates, float alpha, Span<int> links)
    {
        int open = Load(point, candidates);
        int chosen = 0;
        for (float round = 1; open > 0 && chosen < links.Length; round = alpha)
        {
            open = Round(open, round, alpha, links, ref chosen);
            if (round == alpha)
                break;
        }

        return chosen;
    }

    private int Load(int point, Span<ulong> candidates)
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

    // One round over the open candidates. Moves those that stay open to the front, in order, and returns their number.
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

    // Updates the open candidates after a chosen link, and drops those that no round can choose any more.
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

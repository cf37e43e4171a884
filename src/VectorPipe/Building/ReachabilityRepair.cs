namespace VectorPipe.Building;

/// <summary>Makes every point reachable from the entry, with as few changes as it takes.</summary>
/// <remarks>
/// A breadth-first tree from the entry tells what is reached. A point outside is linked to by the nearest reached point with a free slot, or with a link
/// that is no edge of the tree and may therefore go without anything being lost; then the tree grows on from there.
/// Such a point always exists: m reached points have m * R slots and the tree fills m - 1 of them. Runs on one thread.
/// </remarks>
internal sealed class ReachabilityRepair
{
    private const int CancellationStride = 4096;

    private readonly Graph _graph;
    private readonly PointSet _points;
    private readonly GreedySearch _search;

    // The point from which each was reached first, -1 outside the tree; the entry is its own parent.
    private readonly int[] _parents;

    // Reached points in the order in which they were reached; from _spread on their links are still to be followed.
    private readonly int[] _reached;
    private int _reachedCount;
    private int _spread;

    // No reached point before this one has a slot to spare, nor ever will: slots only fill up with edges of the tree.
    private int _firstWithSpare;
    private long _computed;

    /// <param name="graph">Written by this repair only, while it runs.</param>
    /// <param name="points">Distances between the graph's points.</param>
    /// <param name="listSize">L of the searches for hosts.</param>
    public ReachabilityRepair(SharedGraph graph, PointSet points, int listSize)
    {
        _graph = graph.Graph;
        _points = points;
        _search = new GreedySearch(graph, points, new VisitMarks(_graph.Count), listSize);
        _parents = new int[_graph.Count];
        _reached = new int[_graph.Count];
    }

    /// <summary>Distances computed.</summary>
    public long Computed => _computed + _search.Computed;

    /// <summary>Links in what is not reached, and fills in the report's figures on it.</summary>
    public void Run(GraphReport report, IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
    {
        var meter = new ProgressMeter(progress, "reachability", _graph.Count);
        Array.Fill(_parents, -1);
        Reach(_graph.Entry, _graph.Entry);
        Spread(meter, cancellationToken);
        report.ReachableBeforeRepair = _reachedCount;
        for (int point = 0; point < _graph.Count && _reachedCount < _graph.Count; point++)
        {
            if (_parents[point] >= 0)
                continue;
            cancellationToken.ThrowIfCancellationRequested();
            LinkIn(point);
            report.LinksAdded++;
            Spread(meter, cancellationToken);
        }

        report.Reachable = _reachedCount;
        meter.Complete();
    }

    private void Reach(int point, int parent)
    {
        _parents[point] = parent;
        _reached[_reachedCount++] = point;
    }

    private void Spread(ProgressMeter meter, CancellationToken cancellationToken)
    {
        int before = _spread;
        while (_spread < _reachedCount)
        {
            if (_spread % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            int point = _reached[_spread++];
            foreach (int link in _graph.Links(point))
            {
                if (_parents[link] < 0)
                    Reach(link, point);
            }
        }

        meter.Advance(_spread - before);
    }

    private void LinkIn(int point)
    {
        _search.Run(point);
        foreach (ulong key in _search.Nearest)
        {
            if (TryHost(PointKey.Point(key), point))
                return;
        }

        while (!TryHost(_reached[_firstWithSpare], point))
            _firstWithSpare++;
    }

    private bool TryHost(int host, int point)
    {
        int degree = _graph.Degree(host);
        int slot = degree < _graph.MaxDegree ? degree : FarthestOutsideTree(host);
        if (slot < 0)
            return false;
        _graph.Row(host)[slot] = point;
        _graph.SetDegree(host, Math.Max(degree, slot + 1));
        Reach(point, host);
        return true;
    }

    // The slot of the host's farthest link that is no edge of the tree, or -1.
    private int FarthestOutsideTree(int host)
    {
        int farthest = -1;
        float farthestDistance = -1;
        float distance = 0;
        ReadOnlySpan<int> links = _graph.Links(host);
        for (int slot = 0; slot < links.Length; slot++)
        {
            if (_parents[links[slot]] == host)
                continue;
            _points.Distances(host, links.Slice(slot, 1), new Span<float>(ref distance));
            _computed++;
            if (distance > farthestDistance)
                (farthest, farthestDistance) = (slot, distance);
        }

        return farthest;
    }
}

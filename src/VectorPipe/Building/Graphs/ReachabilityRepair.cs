using VectorPipe.Building.Work;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Graphs;

/// <summary>Makes every point reachable from the entry, with few changes.</summary>
/// <remarks>
/// A breadth-first tree from the entry marks reached points. The nearest reached point links to an unreached one, with a free slot or in
/// place of a link that is no edge of the tree; then the tree grows on from there. Such a reached point always exists: m points have m * R
/// slots, and the tree fills m - 1 of them. Runs on one thread.
/// </remarks>
internal sealed class ReachabilityRepair
{
    private const int ShownRows = 256;

    private readonly GraphView _graph;
    private readonly LinkTable _links;
    private readonly int _entry;
    private readonly Func<IPointSearch> _openSearch;

    // The point from which each was first reached, -1 for unreached ones; the entry is its own parent.
    private readonly int[] _parents;

    // Reached points in order; the links of those from _spread on are yet to be followed.
    private readonly int[] _reached;
    private int _reachedCount;
    private int _spread;

    // No reached point before this one has a slot to spare, nor ever will: only edges of the tree fill slots.
    private int _firstWithSpare;

    /// <summary>No other thread may write the links of <paramref name="graph"/> meanwhile.</summary>
    public ReachabilityRepair(GraphView graph, int entry, Func<IPointSearch> openSearch)
    {
        _graph = graph;
        _links = graph.LinkRows;
        _entry = entry;
        _openSearch = openSearch;
        _parents = new int[_links.Count];
        _reached = new int[_links.Count];
    }

    /// <summary>Distances computed.</summary>
    public long Computed { get; private set; }

    /// <summary>Links to unreached points, and counts them in the report.</summary>
    public void Run(GraphReport report, IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
    {
        var meter = new ProgressMeter(progress, "reachability", _links.Count);
        Array.Fill(_parents, -1);
        Reach(_entry, _entry);
        Spread(meter, cancellationToken);
        report.ReachableBeforeRepair = _reachedCount;
        if (_reachedCount < _links.Count)
            LinkInAll(report, meter, cancellationToken);
        report.Reachable = _reachedCount;
        meter.Complete();
    }

    private void LinkInAll(GraphReport report, ProgressMeter meter, CancellationToken cancellationToken)
    {
        using IPointSearch search = _openSearch();
        for (int point = 0; point < _links.Count && _reachedCount < _links.Count; point++)
        {
            if (_parents[point] >= 0)
                continue;
            cancellationToken.ThrowIfCancellationRequested();
            LinkIn(point, search);
            report.LinksAdded++;
            Spread(meter, cancellationToken);
        }

        Computed += search.Computed;
    }

    private void Reach(int point, int parent)
    {
        _parents[point] = parent;
        _reached[_reachedCount++] = point;
    }

    // Layer by layer, each in ascending order, so that neighbouring rows follow one another.
    private void Spread(ProgressMeter meter, CancellationToken cancellationToken)
    {
        int before = _spread;
        while (_spread < _reachedCount)
        {
            int end = _reachedCount;
            StoppableSort.Sort(_reached.AsSpan(_spread..end), cancellationToken);
            while (_spread < end)
            {
                cancellationToken.ThrowIfCancellationRequested();
                ReadOnlySpan<int> layer = _reached.AsSpan(_spread, Math.Min(ShownRows, end - _spread));
                _graph.Begin();
                _graph.Show(layer);
                foreach (int point in layer)
                {
                    foreach (int link in _links.Links(point))
                    {
                        if (_parents[link] < 0)
                            Reach(link, point);
                    }
                }

                _spread += layer.Length;
            }
        }

        meter.Advance(_spread - before);
    }

    private void LinkIn(int point, IPointSearch search)
    {
        search.Run(point);
        foreach (ulong key in search.Nearest)
        {
            if (TryHost(PointKey.Point(key), point))
                return;
        }

        while (!TryHost(_reached[_firstWithSpare], point))
            _firstWithSpare++;
    }

    private bool TryHost(int host, int point)
    {
        _graph.Begin();
        int degree = _graph.Links(host).Length;
        int slot = degree < _links.MaxDegree ? degree : FarthestOutsideTree(host);
        if (slot < 0)
            return false;
        _links.SetLink(host, slot, point);
        Reach(point, host);
        return true;
    }

    // The slot of the farthest link of the host that is no edge of the tree, or -1.
    private int FarthestOutsideTree(int host)
    {
        int farthest = -1;
        float farthestDistance = -1;
        float distance = 0;
        ReadOnlySpan<int> links = _links.Links(host);
        for (int slot = 0; slot < links.Length; slot++)
        {
            if (_parents[links[slot]] == host)
                continue;
            _graph.Distances(host, links.Slice(slot, 1), new Span<float>(ref distance));
            Computed++;
            if (distance > farthestDistance)
                (farthest, farthestDistance) = (slot, distance);
        }

        return farthest;
    }
}

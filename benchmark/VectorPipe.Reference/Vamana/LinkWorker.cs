using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>Links points of a graph on one thread: searches for a point, chooses its links, and links back.</summary>
/// <remarks>
/// Several workers may share a graph. A worker copies a row, computes the new one, and writes it only if the row has not changed;
/// otherwise it repeats, so that no link of another worker is lost.
/// </remarks>
internal sealed class LinkWorker : IDisposable
{
    private readonly SharedGraph _graph;
    private readonly PointSet _points;
    private readonly VisitMarks _marks;
    private readonly GreedySearch _search;
    private readonly RobustPruner _pruner;
    private readonly List<ulong> _candidates = [];
    private readonly int[] _row;
    private readonly int[] _fresh;
    private readonly int[] _chosen;
    private readonly int[] _targets;
    private readonly float[] _distances;
    private long _computed;

    public LinkWorker(SharedGraph graph, PointSet points, int listSize)
    {
        _graph = graph;
        _points = points;
        _marks = new VisitMarks(graph.Links.Count);
        _search = new GreedySearch(graph, points, _marks, listSize);
        _pruner = new RobustPruner(points);
        int maxDegree = graph.Links.MaxDegree;
        _row = new int[maxDegree];
        _fresh = new int[maxDegree];
        _chosen = new int[maxDegree];
        _targets = new int[maxDegree];
        _distances = new float[maxDegree];
    }

    /// <summary>Distances computed so far.</summary>
    public long Computed => _computed + _search.Computed + _pruner.Computed;

    /// <summary>Links a point to points that a search for it expands, beside its current links, and links them back.</summary>
    public void Insert(int point, float alpha)
    {
        _search.Run(point);
        int degree = Relink(point, _search.Expanded, alpha);
        _chosen.AsSpan(0, degree).CopyTo(_targets);
        for (int i = 0; i < degree; i++)
        {
            int target = _targets[i];
            if (_graph.TryAddLink(target, point))
                continue;
            _points.Distances(target, new ReadOnlySpan<int>(in point), _distances.AsSpan(0, 1));
            _computed++;
            ulong key = PointKey.Pack(_distances[0], point);
            Relink(target, new ReadOnlySpan<ulong>(in key), alpha);
        }
    }

    public void Dispose() => _search.Dispose();

    // Chooses the links of a point among its current links and others, into _chosen. Returns their number.
    private int Relink(int point, ReadOnlySpan<ulong> others, float alpha)
    {
        while (true)
        {
            int present = _graph.CopyLinks(point, _row);
            Collect(point, others, _row.AsSpan(0, present));
            int degree = _pruner.Prune(point, CollectionsMarshal.AsSpan(_candidates), alpha, _chosen);
            if (_graph.TryReplaceLinks(point, _row.AsSpan(0, present), _chosen.AsSpan(0, degree)))
                return degree;
        }
    }

    // Distances of the same pair may differ in the last bit between batches, so duplicates are found by point, not by key.
    private void Collect(int point, ReadOnlySpan<ulong> others, ReadOnlySpan<int> row)
    {
        _candidates.Clear();
        _candidates.AddRange(others);
        _marks.Clear();
        foreach (ulong key in others)
            _marks.Add(PointKey.Point(key));

        int fresh = 0;
        foreach (int link in row)
        {
            if (_marks.Add(link))
                _fresh[fresh++] = link;
        }

        _points.Distances(point, _fresh.AsSpan(0, fresh), _distances.AsSpan(0, fresh));
        _computed += fresh;
        for (int i = 0; i < fresh; i++)
            _candidates.Add(PointKey.Pack(_distances[i], _fresh[i]));
    }
}

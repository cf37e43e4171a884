using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>One thread's part in linking a graph: searches for a point, chooses its links, and links back.</summary>
/// <remarks>
/// Any number of workers may share a graph; a worker serves one thread. A row is changed in three steps: copied out, its successor
/// computed,
/// written only if the row still is what was copied, else once more, so that no link of another worker is lost.
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

    /// <param name="graph">The graph; its entry is set.</param>
    /// <param name="points">Distances between its points.</param>
    /// <param name="listSize">L of the searches.</param>
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

    /// <summary>Distances computed since this worker was made.</summary>
    public long Computed => _computed + _search.Computed + _pruner.Computed;

    /// <summary>Links a point to what a search for it meets, beside its present links, and those points back to it.</summary>
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

    /// <summary>Ends the worker.</summary>
    public void Dispose() => _search.Dispose();

    // Chooses a point's links among its present links and others. Returns how many; they are in _chosen too.
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

    // The same pair may differ in its last bit from one batch to another, so doubles are told by the point, not by the key.
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

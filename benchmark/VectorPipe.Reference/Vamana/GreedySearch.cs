using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>Searches a graph under construction for one of its points, and keeps the points that it expands.</summary>
/// <remarks>Each thread has its own; other threads may write the graph meanwhile. A search allocates nothing in steady state.</remarks>
internal sealed class GreedySearch : IPointSearch
{
    private readonly SharedGraph _graph;
    private readonly PointSet _points;
    private readonly VisitMarks _marks;
    private readonly CandidateList _list;
    private readonly List<ulong> _expanded = [];
    private readonly int[] _links;
    private readonly float[] _distances;

    /// <param name="marks">Scratch of the search; the caller may use it between searches.</param>
    public GreedySearch(SharedGraph graph, PointSet points, VisitMarks marks, int listSize)
    {
        _graph = graph;
        _points = points;
        _marks = marks;
        _list = new CandidateList(listSize);
        _links = new int[graph.Links.MaxDegree];
        _distances = new float[graph.Links.MaxDegree];
    }

    public long Computed { get; private set; }

    public ReadOnlySpan<ulong> Nearest => _list.Keys;

    /// <summary>Keys of the points that the last search expanded, in the order of expansion.</summary>
    public ReadOnlySpan<ulong> Expanded => CollectionsMarshal.AsSpan(_expanded);

    public void Run(int target)
    {
        _marks.Clear();
        _list.Clear();
        _expanded.Clear();
        _links[0] = _graph.Entry;
        Meet(target, 1);
        while (_list.TryExpand(out ulong key))
        {
            _expanded.Add(key);
            Meet(target, _graph.CopyLinks(PointKey.Point(key), _links));
        }
    }

    public void Dispose()
    {
    }

    // Offers those of the first links that this search has not met before.
    private void Meet(int target, int count)
    {
        int fresh = 0;
        for (int i = 0; i < count; i++)
        {
            int link = _links[i];
            if (_marks.Add(link))
                _links[fresh++] = link;
        }

        _points.Distances(target, _links.AsSpan(0, fresh), _distances.AsSpan(0, fresh));
        Computed += fresh;
        for (int i = 0; i < fresh; i++)
            _list.Offer(_distances[i], _links[i]);
    }
}

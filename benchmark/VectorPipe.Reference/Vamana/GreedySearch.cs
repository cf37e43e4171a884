using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>
/// Searches a graph under construction for one of its points, from near to nearer, and keeps what it expanded on the way.
/// </summary>
/// <remarks>One a thread; the graph may be written by others meanwhile. In steady state a search allocates nothing.</remarks>
internal sealed class GreedySearch : IPointSearch
{
    private readonly SharedGraph _graph;
    private readonly PointSet _points;
    private readonly VisitMarks _marks;
    private readonly CandidateList _list;
    private readonly List<ulong> _expanded = [];
    private readonly int[] _links;
    private readonly float[] _distances;

    /// <param name="graph">The graph.</param>
    /// <param name="points">Distances between its points.</param>
    /// <param name="marks">Scratch that a search overwrites; the caller may use it between searches.</param>
    /// <param name="listSize">L: candidates kept.</param>
    public GreedySearch(SharedGraph graph, PointSet points, VisitMarks marks, int listSize)
    {
        _graph = graph;
        _points = points;
        _marks = marks;
        _list = new CandidateList(listSize);
        _links = new int[graph.Links.MaxDegree];
        _distances = new float[graph.Links.MaxDegree];
    }

    /// <inheritdoc/>
    public long Computed { get; private set; }

    /// <inheritdoc/>
    public ReadOnlySpan<ulong> Nearest => _list.Keys;

    /// <summary>Keys of the points that the last search expanded, in the order of expansion.</summary>
    public ReadOnlySpan<ulong> Expanded => CollectionsMarshal.AsSpan(_expanded);

    /// <inheritdoc/>
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

    /// <summary>Nothing to free.</summary>
    public void Dispose()
    {
    }

    // Offers the first links of the scratch that this search has not met before.
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

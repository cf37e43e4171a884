using VectorPipe.Numerics;

namespace VectorPipe.Building.Partitioned;

/// <summary>Best-first search of a frozen table of links for one of its positions.</summary>
/// <remarks>Not thread-safe; one a thread. In steady state a search allocates nothing.</remarks>
internal sealed class LinkSearch
{
    private readonly LinkTable _table;
    private readonly PanelRows _vectors;
    private readonly VisitMarks _marks;
    private readonly CandidateList _list;
    private readonly int[] _fresh;
    private readonly float[] _distances;

    /// <param name="table">The links.</param>
    /// <param name="vectors">Rows by position.</param>
    /// <param name="listSize">L: candidates kept.</param>
    public LinkSearch(LinkTable table, in PanelRows vectors, int listSize)
    {
        _table = table;
        _vectors = vectors;
        _marks = new VisitMarks(table.Count);
        _list = new CandidateList(listSize);
        _fresh = new int[table.MaxDegree];
        _distances = new float[table.MaxDegree];
    }

    /// <summary>Distances computed since this search was made.</summary>
    public long Computed { get; private set; }

    /// <summary>Keys of the candidates, nearest first.</summary>
    public ReadOnlySpan<ulong> Nearest => _list.Keys;

    /// <summary>Searches from a position until all candidates are expanded.</summary>
    /// <param name="target">The position searched for; may be met like any other.</param>
    /// <param name="entry">Where to start.</param>
    public void RunFrom(int target, int entry)
    {
        _marks.Clear();
        _list.Clear();
        Meet(target, new ReadOnlySpan<int>(in entry), keys: null);
        while (_list.TryExpand(out ulong key))
            Meet(target, _table.Links(PointKey.Point(key)), keys: null);
    }

    /// <summary>Searches from a position's own links on, the position itself left out.</summary>
    /// <param name="position">The position searched for.</param>
    /// <param name="expansions">Candidates to expand, at most.</param>
    /// <param name="keys">Receives the position's links and the candidates.</param>
    public void RunAround(int position, int expansions, CandidateKeys keys)
    {
        _marks.Clear();
        _list.Clear();
        _marks.Add(position);
        Meet(position, _table.Links(position), keys);
        for (int i = 0; i < expansions && _list.TryExpand(out ulong key); i++)
            Meet(position, _table.Links(PointKey.Point(key)), keys: null);
        foreach (ulong key in _list.Keys)
            keys.Add(PointKey.Distance(key), PointKey.Point(key));
    }

    // Offers positions that this search has not met before.
    private void Meet(int target, ReadOnlySpan<int> positions, CandidateKeys? keys)
    {
        int fresh = 0;
        foreach (int position in positions)
        {
            if (_marks.Add(position))
                _fresh[fresh++] = position;
        }

        GatherKernels.Distances(_vectors, target, _fresh.AsSpan(0, fresh), _distances);
        Computed += fresh;
        for (int i = 0; i < fresh; i++)
        {
            _list.Offer(_distances[i], _fresh[i]);
            keys?.Add(_distances[i], _fresh[i]);
        }
    }
}

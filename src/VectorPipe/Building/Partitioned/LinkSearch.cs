using System.Runtime.InteropServices;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Panels;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Building.Partitioned;

/// <summary>Best-first search of a frozen table of links for one of its positions.</summary>
/// <remarks>Not thread-safe; one a thread. In steady state a search allocates nothing.</remarks>
internal sealed class LinkSearch : IPointSearch
{
    private readonly LinkTable _table;
    private readonly VectorTable _vectorTable;
    private readonly PanelRows _vectors;
    private readonly PageLease _lease;
    private readonly int _entry;
    private readonly SeenSet _seen = new();
    private readonly CandidateList _list;
    private readonly int[] _fresh;
    private readonly float[] _distances;
    private readonly long _stepBlocks;
    private int[] _found = [];

    /// <param name="table">The links.</param>
    /// <param name="vectors">Rows by position.</param>
    /// <param name="lease">A lease that an expansion may begin anew; taken over.</param>
    /// <param name="entry">Where <see cref="Run"/> starts.</param>
    /// <param name="listSize">L: candidates kept.</param>
    public LinkSearch(LinkTable table, VectorTable vectors, PageLease lease, int entry, int listSize)
    {
        _table = table;
        _vectorTable = vectors;
        _vectors = vectors.Rows;
        _lease = lease;
        _entry = entry;
        _list = new CandidateList(listSize);
        _fresh = new int[table.MaxDegree];
        _distances = new float[table.MaxDegree];
        _stepBlocks = (table.MaxDegree + 1) * vectors.RowBlocks + PagedMemory.BlocksOf(table.RowBytes);
    }

    /// <inheritdoc/>
    public long Computed { get; private set; }

    /// <inheritdoc/>
    public ReadOnlySpan<ulong> Nearest => _list.Keys;

    /// <inheritdoc/>
    public void Run(int target)
    {
        Begin();
        Hold(target);
        Meet(target, new ReadOnlySpan<int>(in _entry), keys: null);
        while (_list.TryExpand(out ulong key))
            Expand(target, PointKey.Point(key));
    }

    /// <summary>Searches from a position's own links on, the position itself left out.</summary>
    /// <param name="position">The position searched for.</param>
    /// <param name="expansions">Candidates to expand, at most.</param>
    /// <param name="keys">Receives the position's links and the candidates.</param>
    public void RunAround(int position, int expansions, CandidateKeys keys)
    {
        Begin();
        _seen.Add((uint)position);
        Hold(position);
        Meet(position, LinksOf(position), keys);
        for (int i = 0; i < expansions && _list.TryExpand(out ulong key); i++)
            Expand(position, PointKey.Point(key));
        foreach (ulong key in _list.Keys)
            keys.Add(PointKey.Distance(key), PointKey.Point(key));
    }

    /// <summary>Returns the lease.</summary>
    public void Dispose() => _lease.Dispose();

    private void Begin()
    {
        _seen.Clear();
        _list.Clear();
    }

    private void Expand(int target, int position)
    {
        Hold(target);
        Meet(target, LinksOf(position), keys: null);
    }

    // Whatever a search has met before may go: it need not hold more than what one expansion takes, however long it is.
    private void Hold(int target)
    {
        _lease.Renew(_stepBlocks);
        _vectorTable.Ask(_lease, target, 1);
    }

    private ReadOnlySpan<int> LinksOf(int position)
    {
        _table.Ask(_lease, position, 1);
        _lease.Fetch();
        return _table.Links(position);
    }

    // Offers positions that this search has not met before.
    private void Meet(int target, ReadOnlySpan<int> positions, CandidateKeys? keys)
    {
        positions.CopyTo(_fresh);
        int fresh = _seen.AddNew(MemoryMarshal.Cast<int, uint>(_fresh.AsSpan(0, positions.Length)));
        _vectorTable.Ask(_lease, _fresh.AsSpan(0, fresh));
        _lease.Fetch();
        GatherKernels.Distances(_vectors, target, _vectorTable.Find(_fresh.AsSpan(0, fresh), ref _found), _distances);
        Computed += fresh;
        for (int i = 0; i < fresh; i++)
        {
            _list.Offer(_distances[i], _fresh[i]);
            keys?.Add(_distances[i], _fresh[i]);
        }
    }
}

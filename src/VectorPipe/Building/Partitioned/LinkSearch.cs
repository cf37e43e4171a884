using System.Runtime.InteropServices;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Panels;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Building.Partitioned;

/// <summary>Best-first search of a frozen table of links for one of its positions.</summary>
/// <remarks>Not thread-safe; one a thread. In steady state a search allocates nothing.</remarks>
internal sealed class LinkSearch(LinkTable table, VectorTable vectors, PageLease lease, int entry, int listSize) : IPointSearch
{
    private readonly VectorTable _vectorTable = vectors;
    private readonly PanelRows _vectors = vectors.Rows;
    private readonly SeenSet _seen = new();
    private readonly CandidateList _list = new(listSize);
    private readonly int[] _fresh = new int[table.MaxDegree];
    private readonly float[] _distances = new float[table.MaxDegree];
    private readonly long _stepBlocks = (table.MaxDegree + 1) * vectors.RowBlocks + PagedMemory.BlocksOf(table.RowBytes);
    private int[] _found = [];

    public long Computed { get; private set; }

    public ReadOnlySpan<ulong> Nearest => _list.Keys;

    public void Run(int target)
    {
        Begin();
        Hold(target);
        Meet(target, new ReadOnlySpan<int>(in entry), keys: null);
        while (_list.TryExpand(out ulong key))
            Expand(target, PointKey.Point(key));
    }

    /// <summary>Expands at most so many candidates from a position's own links on; the position itself is left out.</summary>
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

    public void Dispose() => lease.Dispose();

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

    // A search of any length holds no more than one expansion needs.
    private void Hold(int target)
    {
        lease.Renew(_stepBlocks);
        _vectorTable.Ask(lease, target, 1);
    }

    private ReadOnlySpan<int> LinksOf(int position)
    {
        table.Ask(lease, position, 1);
        lease.Fetch();
        return table.Links(position);
    }

    // Offers positions that this search has not met before.
    private void Meet(int target, ReadOnlySpan<int> positions, CandidateKeys? keys)
    {
        positions.CopyTo(_fresh);
        int fresh = _seen.AddNew(MemoryMarshal.Cast<int, uint>(_fresh.AsSpan(0, positions.Length)));
        _vectorTable.Ask(lease, _fresh.AsSpan(0, fresh));
        lease.Fetch();
        GatherKernels.Distances(_vectors, target, _vectorTable.Find(_fresh.AsSpan(0, fresh), ref _found), _distances);
        Computed += fresh;
        for (int i = 0; i < fresh; i++)
        {
            _list.Offer(_distances[i], _fresh[i]);
            keys?.Add(_distances[i], _fresh[i]);
        }
    }
}

using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// A thread's part in a <see cref="SearchRepair"/>: searches while links are frozen, adds links while no thread searches.
/// </summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class RepairWorker : IDisposable
{
    private readonly BuildContext _context;
    private readonly LinkTable _links;
    private readonly PanelRows _vectors;
    private readonly PageLease _lease;
    private readonly LinkSearch _search;
    private readonly CandidateKeys _keys;
    private readonly PanelPruner _pruner;
    private readonly LeafWindow _window;
    private readonly int[] _chosen;
    private int[] _candidates = [];
    private float[] _distances = [];
    private int[] _found = [];
    private long _computed;

    public RepairWorker(BuildContext context, LinkTable links)
    {
        _context = context;
        _links = links;
        _vectors = context.Vectors;
        _lease = context.Rent();
        _search = new LinkSearch(links, context.Table, _lease, context.Entry, context.Options.RepairList);
        _keys = new CandidateKeys(context.Count);
        _pruner = new PanelPruner(context.Table);
        _window = new LeafWindow(context);
        _chosen = new int[links.MaxDegree];
    }

    /// <summary>Searches for a position from the entry; true if it, or a copy of it, was found.</summary>
    public bool Search(int position, out ReadOnlySpan<ulong> nearest)
    {
        _search.Run(position);
        nearest = _search.Nearest;
        return PointKey.Distance(nearest[0]) == 0;
    }

    /// <summary>Begins to read the rows around a leaf.</summary>
    public void Open(int leaf)
    {
        if (_context.Paging is null)
            return;
        _lease.Renew(0);
        _window.Open(leaf, _lease, _links);
    }

    /// <summary>Adds wanted links to the row of a source and prunes it; the lower half of each wanted entry is the target.</summary>
    public void Link(int source, ReadOnlySpan<long> wanted)
    {
        _lease.Begin();
        _links.Ask(_lease, source, 1);
        _lease.Fetch();
        ReadOnlySpan<int> present = _links.Links(source);
        if (_candidates.Length < present.Length + wanted.Length)
        {
            _candidates = new int[2 * (present.Length + wanted.Length)];
            _distances = new float[_candidates.Length];
        }

        present.CopyTo(_candidates);
        int size = present.Length;
        foreach (long link in wanted)
        {
            if ((int)link != source && !present.Contains((int)link))
                _candidates[size++] = (int)link;
        }

        if (size > _links.MaxDegree)
        {
            _context.Table.Ask(_lease, source, 1);
            _context.Table.Ask(_lease, _candidates.AsSpan(0, size));
            _lease.Fetch();
            GatherKernels.Distances(_vectors, source, _context.Table.Find(_candidates.AsSpan(0, size), ref _found), _distances);
            _computed += size;
            _keys.Start(source);
            for (int i = 0; i < size; i++)
                _keys.Add(_distances[i], _candidates[i]);
            _keys.SortDistinct();
            size = _pruner.Prune(_keys, _context.RefineAlpha, _context.Options.Fill, _chosen);
            _chosen.AsSpan(0, size).CopyTo(_candidates);
        }

        _links.SetLinks(source, _candidates.AsSpan(0, size));
    }

    public void Dispose()
    {
        _context.Effort.Add(_computed + _search.Computed + _pruner.Computed);
        _search.Dispose();
        _pruner.Dispose();
    }
}

using VectorPipe.Building.Paging;
using VectorPipe.Numerics;

namespace VectorPipe.Building.Partitioned;

/// <summary>A thread's part in a <see cref="SearchRepair"/>: searching while the links are frozen, linking each source's row while nobody searches.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class RepairWorker : IDisposable
{
    // Of a row's links no more than one in so many makes room at a time.
    private const int MostShare = 8;

    private readonly BuildContext _context;
    private readonly LinkTable _links;
    private readonly PanelRows _vectors;
    private readonly PageLease _lease;
    private readonly LinkSearch _search;
    private readonly CandidateKeys _keys;
    private readonly PanelPruner _pruner;
    private readonly LeafWindow _window;
    private readonly int[] _row;
    private readonly int _most;
    private readonly int[] _candidates;
    private readonly float[] _distances;
    private int[] _found = [];
    private long _computed;

    /// <param name="context">The build.</param>
    /// <param name="links">The links.</param>
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
        _row = new int[links.MaxDegree];
        _candidates = new int[context.Options.HubLinks];
        _distances = new float[_candidates.Length];
        _most = Math.Max(1, links.MaxDegree / MostShare);
    }

    /// <summary>Searches for a position from the entry.</summary>
    /// <param name="position">The position.</param>
    /// <param name="nearest">Keys of what was found, nearest first.</param>
    /// <returns>Whether it, or a copy of it, was found.</returns>
    public bool Search(int position, out ReadOnlySpan<ulong> nearest)
    {
        _search.Run(position);
        nearest = _search.Nearest;
        return PointKey.Distance(nearest[0]) == 0;
    }

    /// <summary>Begins to bring in what is around a leaf.</summary>
    public void Open(int leaf)
    {
        _lease.Renew(0);
        _window.Open(leaf, _lease, _links);
    }

    /// <summary>Gives a row more links, in the place of its last ones if it is full: they are the farthest that were chosen, or were taken to fill it up.</summary>
    /// <param name="source">Whose row.</param>
    /// <param name="wanted">Links to add, the target in the lower half of each, none twice. Of too many those go in that are not occluded by others.</param>
    /// <remarks>A choice among all would take the nearest again, which a search that has gone astray had anyway.</remarks>
    public void Link(int source, ReadOnlySpan<long> wanted)
    {
        int considered = Math.Min(wanted.Length, _context.Options.HubLinks);
        _lease.Renew((considered + 1) * _context.Table.RowBlocks + PagedMemory.BlocksOf(_links.RowBytes));
        _links.Ask(_lease, source, 1);
        _lease.Fetch();
        ReadOnlySpan<int> present = _links.Links(source);
        int size = 0;
        for (int i = 0; i < considered; i++)
        {
            int link = (int)wanted[(int)((long)i * wanted.Length / considered)];
            if (link != source && !present.Contains(link))
                _candidates[size++] = link;
        }

        if (size > _most)
            size = Choose(source, size);
        int kept = Math.Min(present.Length, _links.MaxDegree - size);
        present[..kept].CopyTo(_row);
        _candidates.AsSpan(0, size).CopyTo(_row.AsSpan(kept));
        _links.SetLinks(source, _row.AsSpan(0, kept + size));
    }

    private int Choose(int source, int size)
    {
        Span<int> candidates = _candidates.AsSpan(0, size);
        _context.Table.Ask(_lease, source, 1);
        _context.Table.Ask(_lease, candidates);
        _lease.Fetch();
        GatherKernels.Distances(_vectors, source, _context.Table.Find(candidates, ref _found), _distances);
        _computed += size;
        _keys.Start(source);
        for (int i = 0; i < size; i++)
            _keys.Add(_distances[i], candidates[i]);
        _keys.SortDistinct();
        return _pruner.Prune(_keys, _context.RefineAlpha, fill: false, candidates[.._most]);
    }

    /// <summary>Frees the scratch.</summary>
    public void Dispose()
    {
        _context.Effort.Add(_computed + _search.Computed + _pruner.Computed);
        _search.Dispose();
        _pruner.Dispose();
    }
}

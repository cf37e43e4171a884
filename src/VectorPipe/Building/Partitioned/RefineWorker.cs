using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Partitioned;

/// <summary>A thread's part in refining.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class RefineWorker : IDisposable
{
    private readonly BuildContext _context;
    private readonly LinkTable _refined;
    private readonly PageLease _lease;
    private readonly LinkSearch _search;
    private readonly CandidateKeys _keys;
    private readonly PanelPruner _pruner;
    private readonly int[] _chosen;

    /// <param name="context">The build.</param>
    /// <param name="frozen">Links as they are.</param>
    /// <param name="refined">Receives the new links.</param>
    public RefineWorker(BuildContext context, LinkTable frozen, LinkTable refined)
    {
        _context = context;
        _refined = refined;
        _lease = context.Rent();
        _search = new LinkSearch(frozen, context.Table, _lease, context.Entry, context.Options.RefineList);
        _keys = new CandidateKeys(context.Count);
        _pruner = new PanelPruner(context.Vectors);
        _chosen = new int[refined.MaxDegree];
    }

    /// <summary>Refines the points of a leaf.</summary>
    public void Run(int leaf)
    {
        for (int position = _context.Map.Offsets[leaf]; position < _context.Map.Offsets[leaf + 1]; position++)
        {
            _keys.Start(position);
            _search.RunAround(position, _context.Options.RefineExpansions, _keys);
            _keys.SortDistinct();
            int degree = _pruner.Prune(_keys, _context.RefineAlpha, fill: true, _chosen);
            _refined.Ask(_lease, position, 1);
            _lease.Fetch();
            _refined.SetLinks(position, _chosen.AsSpan(0, degree));
        }
    }

    /// <summary>Frees the scratch.</summary>
    public void Dispose()
    {
        _context.Effort.Add(_search.Computed + _pruner.Computed);
        _search.Dispose();
        _pruner.Dispose();
    }
}

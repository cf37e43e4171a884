using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Partitioned;

/// <summary>A thread's part in refining.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class RefineWorker : IDisposable
{
    /// <summary>Points whose searches are read for together.</summary>
    public const int PrefetchRows = 32;

    // Where everything is in memory, looking ahead is a third of the work for nothing.
    private const int SkippedRows = 1024;

    private readonly BuildContext _context;
    private readonly LinkTable _frozen;
    private readonly LinkTable _refined;
    private readonly NearestLists? _nearest;
    private readonly PageLease _lease;
    private readonly LinkSearch _search;
    private readonly CandidateKeys _keys;
    private readonly PanelPruner _pruner;
    private readonly int[] _chosen;
    private int _rowsToSkip;

    /// <param name="context">The build.</param>
    /// <param name="frozen">Links as they are.</param>
    /// <param name="refined">Receives the new links.</param>
    /// <param name="nearest">Receives the nearest points of each; may be null.</param>
    public RefineWorker(BuildContext context, LinkTable frozen, LinkTable refined, NearestLists? nearest)
    {
        _context = context;
        _frozen = frozen;
        _refined = refined;
        _nearest = nearest;
        _lease = context.Rent();
        _search = new LinkSearch(frozen, context.Table, _lease, context.Entry, context.Options.RefineList);
        _keys = new CandidateKeys(context.Count);
        _pruner = new PanelPruner(context.Table);
        _chosen = new int[refined.MaxDegree];
    }

    /// <summary>Refines the points of a leaf.</summary>
    public void Run(int leaf)
    {
        Prefetch(_context.Map.Offsets[leaf], Math.Min(PrefetchRows, _context.Map.Size(leaf)));
        for (int position = _context.Map.Offsets[leaf]; position < _context.Map.Offsets[leaf + 1]; position++)
        {
            if ((position - _context.Map.Offsets[leaf]) % PrefetchRows == 0)
                Prefetch(position + PrefetchRows, Math.Min(PrefetchRows, _context.Map.Offsets[leaf + 1] - position - PrefetchRows));
            _keys.Start(position);
            _search.RunAround(position, _context.Options.RefineExpansions, _keys);
            _keys.SortDistinct();
            Hold(position);
            if (_nearest is not null)
                Keep(_nearest.ToWrite(position));
            int degree = _pruner.Prune(_keys, _context.RefineAlpha, fill: true, _chosen);
            _refined.SetLinks(position, _chosen.AsSpan(0, degree));
        }
    }

    private void Keep(Span<int> list)
    {
        int kept = Math.Min(list.Length, _keys.Count);
        for (int i = 0; i < kept; i++)
            list[i] = _keys.Position(i);
        list[kept..].Fill(-1);
    }

    // What the choice of links reads and writes; the search has just read it.
    private void Hold(int position)
    {
        if (_context.Paging is null)
            return;
        _lease.Begin();
        _refined.Ask(_lease, position, 1);
        _nearest?.Ask(_lease, position, 1);
        for (int i = 0; i < _keys.Count; i++)
            _context.Table.Ask(_lease, [_keys.Position(i)]);
        _lease.Fetch();
    }

    // What the searches of some rows will ask for one after another is read together, while the rows before them are searched for. Each search goes ahead as far as
    // memory leads, and the next rows are only gone ahead for as long as that finds something to read.
    private void Prefetch(int first, int count)
    {
        if (_context.Paging is null || count <= 0)
            return;
        if (_rowsToSkip > 0)
        {
            _rowsToSkip -= count;
            return;
        }

        _lease.Begin();
        _frozen.Ask(_lease, first, count);
        _context.Table.Ask(_lease, first, count);
        _lease.Fetch();
        for (int row = first; row < first + count; row++)
            _search.Explore(row, _context.Options.RefineExpansions);
        _rowsToSkip = _lease.Hints.Count == 0 ? SkippedRows : 0;
        _lease.Prefetch();
    }

    /// <summary>Frees the scratch.</summary>
    public void Dispose()
    {
        _context.Effort.Add(_search.Computed + _pruner.Computed);
        _search.Dispose();
        _pruner.Dispose();
    }
}

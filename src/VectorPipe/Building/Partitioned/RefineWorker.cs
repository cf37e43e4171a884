using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Partitioned;

/// <summary>A thread's part in refining.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class RefineWorker : IDisposable
{
    // Rows of a leaf whose links are read together.
    private const int ShownRows = 256;

    private readonly BuildContext _context;
    private readonly LinkTable _frozen;
    private readonly LinkTable _refined;
    private readonly NearestTable? _nearest;
    private readonly PageLease _lease;
    private readonly LinkSearch _search;
    private readonly CandidateKeys _keys;
    private readonly PanelPruner _pruner;
    private readonly int[] _chosen;
    private readonly LeafWindow _window;

    public RefineWorker(BuildContext context, LinkTable frozen, LinkTable refined, NearestTable? nearest)
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
        _window = new LeafWindow(context);
    }

    public void Run(int leaf)
    {
        Open(leaf);
        for (int position = _context.Map.Offsets[leaf]; position < _context.Map.Offsets[leaf + 1]; position++)
        {
            // In a paged build a point takes tens of milliseconds, and a leaf has hundreds.
            _context.CancellationToken.ThrowIfCancellationRequested();
            _keys.Start(position);
            _search.RunAround(position, _context.Options.RefineExpansions, _keys);
            _keys.SortDistinct();
            Hold(position);
            if (_nearest is not null)
                Keep(_nearest.ToWrite(position));
            int degree = _pruner.Prune(_keys, _context.RefineAlpha, _context.Options.Fill, _chosen);
            _refined.SetLinks(position, _chosen.AsSpan(0, degree));
        }

        _refined.Retire(_lease, _context.Map.Offsets[leaf], _context.Map.Size(leaf));
    }

    private void Keep(Span<int> list)
    {
        int kept = Math.Min(list.Length, _keys.Count);
        for (int i = 0; i < kept; i++)
            list[i] = _keys.Position(i);
        list[kept..].Fill(-1);
    }

    // Most of what the choice of links needs was just read by the search.
    private void Hold(int position)
    {
        if (_context.Paging is null)
            return;
        long nearest = _nearest is null ? 0 : PagedMemory.BlocksOf(_nearest.RowBytes);
        _lease.Renew(_keys.Count * _context.Table.RowBlocks + PagedMemory.BlocksOf(_refined.RowBytes) + nearest);
        _refined.Ask(_lease, position, 1);
        _nearest?.Ask(_lease, position, 1);
        for (int i = 0; i < _keys.Count; i++)
            _context.Table.Ask(_lease, [_keys.Position(i)]);
        _lease.Fetch();
    }

    // Reads the leaves around, and the vectors that links lead to from there.
    private void Open(int leaf)
    {
        if (_context.Paging is null)
            return;
        int first = _context.Map.Offsets[leaf];
        int count = _context.Map.Size(leaf);
        _lease.Begin();
        _window.Open(leaf, _lease, _frozen);
        for (int from = first; from < first + count; from += ShownRows)
        {
            int rows = Math.Min(ShownRows, first + count - from);
            _lease.Renew(PagedMemory.BlocksOf(rows * _frozen.RowBytes));
            _frozen.Ask(_lease, from, rows);
            _lease.Fetch();
            for (int row = from; row < from + rows; row++)
                _context.Table.Hint(_lease, _frozen.Links(row));
        }

        _lease.Prefetch();
    }

    public void Dispose()
    {
        _context.Effort.Add(_search.Computed + _pruner.Computed);
        _search.Dispose();
        _pruner.Dispose();
    }
}

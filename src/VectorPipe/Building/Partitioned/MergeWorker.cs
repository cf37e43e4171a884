using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>A thread's part in a <see cref="ReverseMerge"/>.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class MergeWorker : IDisposable
{
    private const int ReportedRows = 256;
    private const int PrefetchRows = 16;

    private readonly BuildContext _context;
    private readonly LinkTable _frozen;
    private readonly LinkTable _merged;
    private readonly float _alpha;
    private readonly float _fill;
    private readonly PanelRows _vectors;
    private readonly PageLease _lease;
    private readonly IInLinkSource _source;
    private readonly InLinks _inLinks = new();
    private readonly VisitMarks _marks;
    private readonly CandidateKeys _keys;
    private readonly PanelPruner _pruner;
    private readonly int[] _candidates;
    private readonly float[] _distances;
    private readonly int[] _chosen;
    private int[] _found = [];
    private long _computed;

    /// <param name="context">The build.</param>
    /// <param name="frozen">Links as they are.</param>
    /// <param name="source">Links into ranges of positions, for this thread; taken over.</param>
    /// <param name="merged">Receives the new links.</param>
    /// <param name="alpha">Occlusion factor of the prunings.</param>
    /// <param name="fill">How far out pruned lists are filled up, see <see cref="PanelPruner.Prune"/>.</param>
    public MergeWorker(BuildContext context, LinkTable frozen, IInLinkSource source, LinkTable merged, float alpha, float fill)
    {
        _context = context;
        _frozen = frozen;
        _merged = merged;
        _alpha = alpha;
        _fill = fill;
        _vectors = context.Vectors;
        _lease = context.Rent();
        _source = source;
        _marks = new VisitMarks(frozen.Count);
        _keys = new CandidateKeys(frozen.Count);
        _pruner = new PanelPruner(context.Table);
        _candidates = new int[frozen.MaxDegree + context.Options.HubLinks];
        _distances = new float[_candidates.Length];
        _chosen = new int[frozen.MaxDegree];
    }

    /// <summary>Merges the links of a range of positions.</summary>
    /// <param name="first">First position.</param>
    /// <param name="count">How many.</param>
    /// <param name="meter">Told the positions done.</param>
    public void Run(int first, int count, ProgressMeter meter)
    {
        _source.Collect(_inLinks, first, count, _context.CancellationToken);
        Prefetch(first, Math.Min(PrefetchRows, count));
        for (int position = first; position < first + count; position++)
        {
            _context.CancellationToken.ThrowIfCancellationRequested();
            if ((position - first) % PrefetchRows == 0)
                Prefetch(position + PrefetchRows, Math.Min(PrefetchRows, first + count - position - PrefetchRows));
            Merge(position);
            if ((position - first) % ReportedRows == ReportedRows - 1)
            {
                meter.Advance(ReportedRows);
                Retire(position - ReportedRows + 1, ReportedRows);
            }
        }

        meter.Advance(count % ReportedRows);
        Retire(first + count - count % ReportedRows, count % ReportedRows);
    }

    /// <summary>Frees the scratch.</summary>
    public void Dispose()
    {
        _context.Effort.Add(_computed + _pruner.Computed);
        _source.Dispose();
        _lease.Dispose();
        _pruner.Dispose();
    }

    // Links are gone through once, vectors again and again.
    private void Retire(int first, int count)
    {
        _frozen.Retire(_lease, first, count);
        _merged.Retire(_lease, first, count);
    }

    // The vectors of the candidates of some positions are read together, while the positions before them are merged.
    private void Prefetch(int first, int count)
    {
        if (_context.Paging is null || count <= 0)
            return;
        _lease.Renew(PagedMemory.BlocksOf(count * _frozen.RowBytes));
        _frozen.Ask(_lease, first, count);
        _lease.Fetch();
        for (int position = first; position < first + count; position++)
        {
            ReadOnlySpan<int> links = _frozen.Links(position);
            ReadOnlySpan<int> sources = _inLinks.Of(position);
            if (links.Length + sources.Length <= _merged.MaxDegree)
                continue;
            _context.Table.Hint(_lease, links);
            _context.Table.Hint(_lease, sources[..Math.Min(sources.Length, _context.Options.HubLinks)]);
        }

        _lease.Prefetch();
    }

    private void Merge(int position)
    {
        ReadOnlySpan<int> sources = _inLinks.Of(position);
        int considered = Math.Min(sources.Length, _context.Options.HubLinks);
        _lease.Renew((considered + _merged.MaxDegree + 1) * _context.Table.RowBlocks + 2 * PagedMemory.BlocksOf(_merged.RowBytes));
        _frozen.Ask(_lease, position, 1);
        _merged.Ask(_lease, position, 1);
        _lease.Fetch();
        _marks.Clear();
        _marks.Add(position);
        int size = 0;
        foreach (int link in _frozen.Links(position))
            size = Take(link, size);
        for (int i = 0; i < considered; i++)
            size = Take(sources[(int)((long)i * sources.Length / considered)], size);

        ReadOnlySpan<int> candidates = _candidates.AsSpan(0, size);
        if (size <= _merged.MaxDegree)
        {
            _merged.SetLinks(position, candidates);
            return;
        }

        _context.Table.Ask(_lease, position, 1);
        _context.Table.Ask(_lease, candidates);
        _lease.Fetch();
        Span<float> distances = _distances.AsSpan(0, size);
        GatherKernels.Distances(_vectors, position, _context.Table.Find(candidates, ref _found), distances);
        _computed += size;
        _keys.Start(position);
        for (int i = 0; i < size; i++)
            _keys.Add(distances[i], candidates[i]);
        _keys.SortDistinct();
        int degree = _pruner.Prune(_keys, _alpha, _fill, _chosen);
        _merged.SetLinks(position, _chosen.AsSpan(0, degree));
    }

    private int Take(int candidate, int size)
    {
        if (_marks.Add(candidate))
            _candidates[size++] = candidate;
        return size;
    }
}

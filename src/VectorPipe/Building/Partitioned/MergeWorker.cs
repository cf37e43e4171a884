using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>A thread's part in a merge of links with in-links.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class MergeWorker(
    BuildContext context, LinkTable frozen, ShuffledInLinks? shuffled, LinkTable merged, float alpha, float fill, int rangeRows)
    : IDisposable
{
    private const int ReportedRows = 256;
    private const int PrefetchRows = 16;

    private readonly PanelRows _vectors = context.Vectors;
    private readonly ShuffledPartitions? _shuffled = shuffled?.Open();
    private readonly PageLease _lease = context.Rent();
    private readonly InLinks _inLinks = new();
    private readonly VisitMarks _marks = new(frozen.Count);
    private readonly CandidateKeys _keys = new(frozen.Count);
    private readonly PanelPruner _pruner = new(context.Table);
    private readonly int[] _candidates = new int[frozen.MaxDegree + context.Options.HubLinks];
    private readonly float[] _distances = new float[frozen.MaxDegree + context.Options.HubLinks];
    private readonly int[] _chosen = new int[frozen.MaxDegree];
    private int[] _found = [];
    private long _computed;

    /// <summary>Merges neighbouring positions, range after range; shuffled in-links of all are read together.</summary>
    public void Run(int first, int count, ProgressMeter meter)
    {
        for (int done = 0; done < count; done += rangeRows)
        {
            Collect(first, count, first + done, Math.Min(rangeRows, count - done));
            MergeRange(first + done, Math.Min(rangeRows, count - done), meter);
        }
    }

    public void Dispose()
    {
        context.Effort.Add(_computed + _pruner.Computed);
        _shuffled?.Dispose();
        _lease.Dispose();
        _pruner.Dispose();
    }

    private void MergeRange(int first, int count, ProgressMeter meter)
    {
        Prefetch(first, Math.Min(PrefetchRows, count));
        for (int position = first; position < first + count; position++)
        {
            context.CancellationToken.ThrowIfCancellationRequested();
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

    // Collects the in-links of a range of a piece, all of which is read with its first range.
    private void Collect(int firstOfPiece, int countOfPiece, int first, int count)
    {
        context.CancellationToken.ThrowIfCancellationRequested();
        if (_shuffled is null)
        {
            _inLinks.Collect(frozen, first, count, context.CancellationToken);
            return;
        }

        int piece = firstOfPiece / ShuffledInLinks.RangeRows, range = first / ShuffledInLinks.RangeRows;
        if (range == piece)
            _shuffled.Load(piece, (firstOfPiece + countOfPiece - 1) / ShuffledInLinks.RangeRows + 1);
        _inLinks.Take(first, count, _shuffled.Loaded<int>(range));
    }

    // Links are used once, vectors again and again.
    private void Retire(int first, int count)
    {
        frozen.Retire(_lease, first, count);
        merged.Retire(_lease, first, count);
    }

    // Reads the vectors of the candidates of some positions together, while the positions before them are merged.
    private void Prefetch(int first, int count)
    {
        if (context.Paging is null || count <= 0)
            return;
        _lease.Renew(PagedMemory.BlocksOf(count * frozen.RowBytes));
        frozen.Ask(_lease, first, count);
        _lease.Fetch();
        for (int position = first; position < first + count; position++)
        {
            ReadOnlySpan<int> links = frozen.Links(position);
            ReadOnlySpan<int> sources = _inLinks.Of(position);
            if (links.Length + sources.Length <= merged.MaxDegree)
                continue;
            context.Table.Hint(_lease, links);
            context.Table.Hint(_lease, sources[..Math.Min(sources.Length, context.Options.HubLinks)]);
        }

        _lease.Prefetch();
    }

    private void Merge(int position)
    {
        ReadOnlySpan<int> sources = _inLinks.Of(position);
        int considered = Math.Min(sources.Length, context.Options.HubLinks);
        _lease.Renew((considered + merged.MaxDegree + 1) * context.Table.RowBlocks + 2 * PagedMemory.BlocksOf(merged.RowBytes));
        frozen.Ask(_lease, position, 1);
        merged.Ask(_lease, position, 1);
        _lease.Fetch();
        _marks.Clear();
        _marks.Add(position);
        int size = 0;
        foreach (int link in frozen.Links(position))
            size = Take(link, size);
        for (int i = 0; i < considered; i++)
            size = Take(sources[(int)((long)i * sources.Length / considered)], size);

        ReadOnlySpan<int> candidates = _candidates.AsSpan(0, size);
        if (size <= merged.MaxDegree)
        {
            merged.SetLinks(position, candidates);
            return;
        }

        context.Table.Ask(_lease, position, 1);
        context.Table.Ask(_lease, candidates);
        _lease.Fetch();
        Span<float> distances = _distances.AsSpan(0, size);
        GatherKernels.Distances(_vectors, position, context.Table.Find(candidates, ref _found), distances);
        _computed += size;
        _keys.Start(position);
        for (int i = 0; i < size; i++)
            _keys.Add(distances[i], candidates[i]);
        _keys.SortDistinct();
        int degree = _pruner.Prune(_keys, alpha, fill, _chosen);
        merged.SetLinks(position, _chosen.AsSpan(0, degree));
    }

    private int Take(int candidate, int size)
    {
        if (_marks.Add(candidate))
            _candidates[size++] = candidate;
        return size;
    }
}

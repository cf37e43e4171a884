using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Queries of a session, one after another, and room for their answers.</summary>
internal readonly ref struct SearchBatch<T>(
    ReadOnlySpan<T> queries, int rows, Span<SearchHit> hits, Span<SearchStatistics> statistics, SearchPlan plan, Admission admission,
    CancellationToken cancellationToken) : ISessionBatch<SearchRequest>
    where T : unmanaged
{
    private readonly ReadOnlySpan<T> _queries = queries;
    private readonly Span<SearchHit> _hits = hits;
    private readonly Span<SearchStatistics> _statistics = statistics;
    private readonly SearchPlan _plan = plan;
    private readonly Admission _admission = admission;
    private readonly CancellationToken _cancellationToken = cancellationToken;

    public int Rows { get; } = rows;

    public void Ask(SearchRequest request, int row)
    {
        int dimension = _queries.Length / Rows;
        request.Ask(
            MemoryMarshal.AsBytes(_queries.Slice(row * dimension, dimension)), _plan, Stopwatch.GetTimestamp(), _cancellationToken);
        request.Admission = _admission;
    }

    public void Take(SearchRequest request)
    {
        request.Hits.AsSpan(0, request.Statistics.Hits).CopyTo(_hits[(request.Row * _plan.Asked)..]);
        if (!_statistics.IsEmpty)
            _statistics[request.Row] = request.Statistics;
    }

    public readonly bool TakesError(SearchRequest request) => false;
}

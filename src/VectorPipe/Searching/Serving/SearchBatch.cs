using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Queries of a session, one after another, and room for their answers.</summary>
internal readonly ref struct SearchBatch<T> : ISessionBatch<SearchRequest>
    where T : unmanaged
{
    private readonly ReadOnlySpan<T> _queries;
    private readonly Span<SearchHit> _hits;
    private readonly Span<SearchStatistics> _statistics;
    private readonly SearchPlan _plan;
    private readonly CancellationToken _cancellationToken;

    /// <param name="queries">The queries.</param>
    /// <param name="rows">Their number.</param>
    /// <param name="hits">Receives the results; as many places for each query as the plan asks for.</param>
    /// <param name="statistics">Receives the costs of each query; may be empty.</param>
    /// <param name="plan">How they are searched.</param>
    /// <param name="cancellationToken">Ends them early.</param>
    public SearchBatch(
        ReadOnlySpan<T> queries, int rows, Span<SearchHit> hits, Span<SearchStatistics> statistics, SearchPlan plan,
        CancellationToken cancellationToken)
    {
        _queries = queries;
        Rows = rows;
        _hits = hits;
        _statistics = statistics;
        _plan = plan;
        _cancellationToken = cancellationToken;
    }

    public int Rows { get; }

    public void Ask(SearchRequest request, int row)
    {
        int dimension = _queries.Length / Rows;
        request.Ask(
            MemoryMarshal.AsBytes(_queries.Slice(row * dimension, dimension)), _plan, Stopwatch.GetTimestamp(), _cancellationToken);
    }

    public void Take(SearchRequest request)
    {
        request.Hits.AsSpan(0, request.Statistics.Hits).CopyTo(_hits[(request.Row * _plan.Asked)..]);
        if (!_statistics.IsEmpty)
            _statistics[request.Row] = request.Statistics;
    }
}

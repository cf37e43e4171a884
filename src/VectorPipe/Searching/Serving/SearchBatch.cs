using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Queries of a session, one after another, and room for their answers.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
internal readonly ref struct SearchBatch<T> : ISessionBatch<SearchRequest>
    where T : unmanaged
{
    private readonly ReadOnlySpan<T> _queries;
    private readonly Span<SearchHit> _hits;
    private readonly Span<SearchStatistics> _statistics;
    private readonly SearchPlan _plan;
    private readonly CancellationToken _cancellationToken;

    /// <param name="queries">Queries, one after another.</param>
    /// <param name="rows">Number of queries.</param>
    /// <param name="hits">Receives the results, a place for each that the plan asks for.</param>
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

    /// <inheritdoc/>
    public int Rows { get; }

    /// <inheritdoc/>
    public void Ask(SearchRequest request, int row)
    {
        int dimension = _queries.Length / Rows;
        request.Ask(
            MemoryMarshal.AsBytes(_queries.Slice(row * dimension, dimension)), _plan, Stopwatch.GetTimestamp(), _cancellationToken);
    }

    /// <inheritdoc/>
    public void Take(SearchRequest request)
    {
        request.Hits.AsSpan(0, request.Statistics.Hits).CopyTo(_hits[(request.Row * _plan.Asked)..]);
        if (!_statistics.IsEmpty)
            _statistics[request.Row] = request.Statistics;
    }
}

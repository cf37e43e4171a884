using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Diagnostics;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Searching.State;

namespace VectorPipe;

/// <content>Asynchronous searches and look-ups.</content>
public sealed partial class VectorIndex
{
    private static readonly Func<SearchResult, OperationCost> _costOfResult =
        static result => new OperationCost(result.Statistics.Hits, result.Statistics);

    private static readonly Func<SearchStatistics, OperationCost> _costOfStatistics =
        static statistics => new OperationCost(statistics.Hits, statistics);

    private static readonly Func<VectorRecord?, OperationCost> _costOfRecord =
        static record => new OperationCost(record is null ? 0 : 1, null);

    /// <summary>Searches for the k nearest vectors.</summary>
    /// <remarks>Allocates only the result and its array of hits.</remarks>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query, of the index's dimension; it is copied. An array can be passed.</param>
    /// <param name="k">Number of results, 1 or more. An index of fewer vectors returns all of them.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>The hits, nearest first. Await it once.</returns>
    /// <exception cref="InvalidVectorException">
    /// The query has another type or dimension than the index, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>.</exception>
    /// <exception cref="IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The index was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public ValueTask<SearchResult> SearchAsync<T>(
        ReadOnlySpan<T> query, int k, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        try
        {
            QueryCheck.One(_index, query);
            ValueTask<SearchResult> search =
                Search(_searches, MemoryMarshal.AsBytes(query), Plan(k, options), default, options?.Keys, cancellationToken);
            return Observed(search, k, options);
        }
        catch (Exception e) when (Telemetry.Refuse(e, "search", this))
        {
            throw;
        }
    }

    /// <summary>Searches for the k nearest vectors that may be hits.</summary>
    /// <param name="query">The query's bytes; the caller has checked them.</param>
    /// <param name="k">Number of results, 1 or more.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="admission">Which vectors may be hits. Matches are slots of <paramref name="changes"/>; before a search with many
    /// of them, the caller prepares the index for filters, once.</param>
    /// <param name="changes">What checkpoints changed of the graph; null for nothing.</param>
    /// <param name="kept">Pages that earlier searches for the query have read of the same pages; null for none.</param>
    /// <param name="destination">Receives the hits when the task is awaited; of k, or as many as there are vectors.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    internal ValueTask<SearchStatistics> SearchAsync(
        ReadOnlySpan<byte> query, int k, SearchOptions? options, Admission admission, GraphChanges? changes, KeptPages? kept,
        Memory<SearchHit> destination, CancellationToken cancellationToken) =>
        Post(_filling, query, Plan(k, options, destination.Length), destination, cancellationToken, admission, changes, kept);

    /// <summary>Searches for the k nearest vectors, and keeps the pages that are read.</summary>
    internal ValueTask<SearchResult> SearchAsync(
        byte[] query, int k, SearchOptions? options, KeptPages kept, CancellationToken cancellationToken) =>
        Search(_searches, query, Plan(k, options), default, options?.Keys, cancellationToken, kept);

    /// <summary>Opens a search that brings the nearest vectors a few at a time.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query, of the index's dimension; it is copied. An array can be passed.</param>
    /// <param name="options">How to search; null for the defaults. Limits of reads and of time are those of each call.</param>
    /// <exception cref="InvalidVectorException">
    /// The query has another type or dimension than the index, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="ObjectDisposedException">The index was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public SearchCursor OpenSearch<T>(ReadOnlySpan<T> query, SearchOptions? options = null)
        where T : unmanaged
    {
        QueryCheck.One(_index, query);
        Plan(1, options);
        return new SearchCursor(this, MemoryMarshal.AsBytes(query).ToArray(), options);
    }

    /// <inheritdoc cref="OpenSearch{T}(ReadOnlySpan{T}, SearchOptions?)"/>
    public SearchCursor OpenSearch<T>(ReadOnlyMemory<T> query, SearchOptions? options = null)
        where T : unmanaged => OpenSearch(query.Span, options);

    /// <inheritdoc cref="SearchAsync{T}(ReadOnlySpan{T}, int, SearchOptions?, CancellationToken)"/>
    public ValueTask<SearchResult> SearchAsync<T>(
        ReadOnlyMemory<T> query, int k, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged => SearchAsync(query.Span, k, options, cancellationToken);

    /// <summary>Searches for the nearest vectors and copies the hits to the caller's memory. Steady state allocates nothing.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query, of the index's dimension; it is copied. An array can be passed.</param>
    /// <param name="destination">Receives the hits, nearest first, when the task is awaited; its length is k.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>The cost of the query and the number of hits. Await it once.</returns>
    /// <exception cref="ArgumentException">There is no room for a hit.</exception>
    /// <exception cref="InvalidVectorException">
    /// The query has another type or dimension than the index, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>.</exception>
    /// <exception cref="IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The index was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public ValueTask<SearchStatistics> SearchAsync<T>(
        ReadOnlySpan<T> query, Memory<SearchHit> destination, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        try
        {
            QueryCheck.One(_index, query);
            if (destination.IsEmpty)
                throw new ArgumentException("Expected room for one hit or more, found none.", nameof(destination));
            SearchPlan plan = Plan(destination.Length, options);
            ValueTask<SearchStatistics> search =
                Search(_filling, MemoryMarshal.AsBytes(query), plan, destination, options?.Keys, cancellationToken);
            return Telemetry.IsListened
                ? Telemetry.ObserveAsync(search, "search", this, _costOfStatistics, aim: new SearchAim(destination.Length, options))
                : search;
        }
        catch (Exception e) when (Telemetry.Refuse(e, "search", this))
        {
            throw;
        }
    }

    /// <inheritdoc cref="SearchAsync{T}(ReadOnlySpan{T}, Memory{SearchHit}, SearchOptions?, CancellationToken)"/>
    public ValueTask<SearchStatistics> SearchAsync<T>(
        ReadOnlyMemory<T> query, Memory<SearchHit> destination, SearchOptions? options = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged => SearchAsync(query.Span, destination, options, cancellationToken);

    /// <summary>Searches for the k nearest vectors of many queries, a bounded number of them in flight at once.</summary>
    /// <remarks>
    /// All queries are checked before the first is searched. The first error ends the batch. A batch never has more requests in progress
    /// than twice the queries that the run threads have in flight, so that single searches find a place beside it.
    /// </remarks>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="queries">Queries, one after another; they are copied. Memory instead of a span is read in place.</param>
    /// <param name="k">Number of results of each, 1 or more. An index of fewer vectors returns all of them.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the searches early.</param>
    /// <returns>A result a query, in order.</returns>
    /// <exception cref="InvalidVectorException">
    /// A query has another type or dimension than the index, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="SearchOverloadedException">
    /// Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>, and none of the batch is in flight.
    /// </exception>
    /// <exception cref="IndexCorruptException">A page that a query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The index was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public Task<SearchResult[]> SearchBatchAsync<T>(
        ReadOnlySpan<T> queries, int k, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        (int rows, SearchPlan plan) = Check(queries, k, options);
        return SearchRowsAsync<T>(queries.ToArray(), rows, plan, options, cancellationToken);
    }

    /// <inheritdoc cref="SearchBatchAsync{T}(ReadOnlySpan{T}, int, SearchOptions?, CancellationToken)"/>
    /// <param name="queries">Queries, one after another, read in place: they must not change until the task has ended.</param>
    /// <param name="k">Number of results of each, 1 or more. An index of fewer vectors returns all of them.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the searches early.</param>
    public Task<SearchResult[]> SearchBatchAsync<T>(
        ReadOnlyMemory<T> queries, int k, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        (int rows, SearchPlan plan) = Check(queries.Span, k, options);
        return SearchRowsAsync(queries, rows, plan, options, cancellationToken);
    }

    /// <summary>Looks up a key: nearly always one read of the key directory and one of the vector's page.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    /// <returns>The record, or null if the index does not hold the key. Await it once.</returns>
    /// <exception cref="SearchOverloadedException">Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>.</exception>
    /// <exception cref="IndexCorruptException">A page is damaged, or key directory and node file disagree.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The index was disposed.</exception>
    public ValueTask<VectorRecord?> GetAsync(ulong key, CancellationToken cancellationToken = default)
    {
        try
        {
            ValueTask<VectorRecord?> lookup = GetAsync(key, withLinks: false, cancellationToken);
            return Telemetry.IsListened ? Telemetry.ObserveAsync(lookup, "get", this, _costOfRecord) : lookup;
        }
        catch (Exception e) when (Telemetry.Refuse(e, "get", this))
        {
            throw;
        }
    }

    /// <summary>Looks up a key, with the links of its node if they are wanted.</summary>
    internal ValueTask<VectorRecord?> GetAsync(ulong key, bool withLinks, CancellationToken cancellationToken = default) =>
        LookUp(_lookups, key, withLinks, withVector: true, null, cancellationToken);

    /// <summary>Looks up a key in the pages of a checkpoint.</summary>
    /// <param name="key">The key.</param>
    /// <param name="changes">What checkpoints changed of the graph; null for nothing.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    /// <returns>The vector, null without the key; and whether a newer checkpoint has moved or deleted it.</returns>
    internal ValueTask<(VectorRecord? Record, bool IsStale)> FindAsync(
        ulong key, GraphChanges? changes, CancellationToken cancellationToken = default) =>
        LookUp(_finds, key, withLinks: false, withVector: true, changes, cancellationToken);

    /// <summary>The node of a key, null without it: nearly always one read.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    internal ValueTask<uint?> NodeOfAsync(ulong key, CancellationToken cancellationToken = default) =>
        LookUp(_probes, key, withLinks: false, withVector: false, null, cancellationToken);

    private ValueTask<TResult> LookUp<TResult>(
        RequestPool<LookupRequest, TResult> pool, ulong key, bool withLinks, bool withVector, GraphChanges? changes,
        CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        AwaitedRequest<LookupRequest, TResult> request = pool.Rent();
        try
        {
            request.Request.Ask(key, withLinks, Stopwatch.GetTimestamp(), cancellationToken);
            request.Request.WithVector = withVector;
            request.Request.Changes = changes;
            ValueTask<TResult> task = request.Task;
            _lanes.Post(request.Request);
            return task;
        }
        catch
        {
            request.Withdraw();
            throw;
        }
    }

    /// <summary>A search that is measured and traced, if somebody listens.</summary>
    internal ValueTask<SearchResult> Observed(ValueTask<SearchResult> search, int k, SearchOptions? options) => Telemetry.IsListened
        ? Telemetry.ObserveAsync(search, "search", this, _costOfResult, aim: new SearchAim(k, options))
        : search;

    private static SearchStatistics Fill(SearchRequest request)
    {
        request.Hits.AsSpan(0, request.Statistics.Hits).CopyTo(request.Destination.Span);
        return request.Statistics;
    }

    private SearchPlan Plan(int k, SearchOptions? options, long? count = null)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return _planner.Plan(k, options, count);
    }

    private (int Rows, SearchPlan Plan) Check<T>(ReadOnlySpan<T> queries, int k, SearchOptions? options)
        where T : unmanaged => (QueryCheck.Many(_index, queries), Plan(k, options));

    private async Task<SearchResult[]> SearchRowsAsync<T>(
        ReadOnlyMemory<T> queries, int rows, SearchPlan plan, SearchOptions? options, CancellationToken cancellationToken)
        where T : unmanaged
    {
        MatchSet? matches = options?.Keys is { } filter
            ? await _filters.ResolveAsync(filter, cancellationToken).ConfigureAwait(false)
            : null;
        var admission = new Admission(null, matches);
        int dimension = _index.Schema.Dimension;
        int window = 2 * _options.Threads * _options.QueriesInFlight;
        var batch = new BatchSearch<SearchResult>(rows, window, row =>
        {
            ReadOnlySpan<byte> query = MemoryMarshal.AsBytes(queries.Span.Slice(row * dimension, dimension));
            ValueTask<SearchResult> search = Post(_searches, query, plan, default, cancellationToken, admission);
            return Observed(search, plan.K, options);
        });
        return await batch.RunAsync().ConfigureAwait(false);
    }

    private ValueTask<TResult> Search<TResult>(
        RequestPool<SearchRequest, TResult> pool, ReadOnlySpan<byte> query, SearchPlan plan, Memory<SearchHit> destination,
        KeyFilter? filter, CancellationToken cancellationToken, KeptPages? kept = null)
    {
        if (filter is null)
            return Post(pool, query, plan, destination, cancellationToken, kept: kept);
        if (_filters.TryGet(filter, out MatchSet? matches))
            return Post(pool, query, plan, destination, cancellationToken, new Admission(null, matches), kept: kept);
        return SearchFirstAsync(pool, query.ToArray(), plan, destination, filter, kept, cancellationToken);
    }

    // The first search with a filter: finds out what matches.
    private async ValueTask<TResult> SearchFirstAsync<TResult>(
        RequestPool<SearchRequest, TResult> pool, byte[] query, SearchPlan plan, Memory<SearchHit> destination, KeyFilter filter,
        KeptPages? kept, CancellationToken cancellationToken)
    {
        MatchSet matches = await _filters.ResolveAsync(filter, cancellationToken).ConfigureAwait(false);
        var admission = new Admission(null, matches);
        return await Post(pool, query, plan, destination, cancellationToken, admission, kept: kept).ConfigureAwait(false);
    }

    private ValueTask<TResult> Post<TResult>(
        RequestPool<SearchRequest, TResult> pool, ReadOnlySpan<byte> query, SearchPlan plan, Memory<SearchHit> destination,
        CancellationToken cancellationToken, Admission admission = default, GraphChanges? changes = null, KeptPages? kept = null)
    {
        AwaitedRequest<SearchRequest, TResult> request = pool.Rent();
        ValueTask<TResult> task;
        try
        {
            request.Request.Ask(query, plan, Stopwatch.GetTimestamp(), cancellationToken);
            request.Request.Destination = destination;
            request.Request.Admission = admission;
            request.Request.Changes = changes;
            request.Request.Kept = kept;
            task = request.Task;
            _lanes.Post(request.Request);
        }
        catch
        {
            request.Withdraw();
            throw;
        }

        if (Followed is { } sample && plan.IsCalibrated && admission.Matches is null && kept is null)
            sample.Offer(query);
        return task;
    }
}

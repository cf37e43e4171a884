using System.Diagnostics;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics;

namespace VectorPipe.Searching;

/// <summary>Synchronous search for callers who own their threads: the calling thread runs the queries itself.</summary>
/// <remarks>
/// Bound to the thread that first searches with it: every call, disposal included, comes from that thread. Open one session a thread.
/// Steady state allocates nothing.
/// </remarks>
public sealed class SearchSession : IDisposable
{
    private readonly SearchIndex _index;
    private readonly SearchRunner _runner;
    private readonly Action _onDisposed;
    private readonly Stack<SessionRequest> _idle;
    private readonly Stack<SessionRequest> _completed;
    private readonly SearchStatistics[] _single = new SearchStatistics[1];
    private bool _disposed;

    internal SearchSession(SearchIndex index, int queriesInFlight, Action onDisposed)
    {
        _index = index;
        _onDisposed = onDisposed;
        _runner = new SearchRunner(index, queriesInFlight);
        _idle = new Stack<SessionRequest>(queriesInFlight);
        _completed = new Stack<SessionRequest>(queriesInFlight);
        for (int i = 0; i < queriesInFlight; i++)
            _idle.Push(new SessionRequest(_completed));
    }

    /// <summary>Most queries in flight on this thread.</summary>
    public int QueriesInFlight => _runner.Capacity;

    /// <summary>Reads that the device has accepted from this session, counted at the device queue.</summary>
    public long DeviceReads => _runner.Session.Counters.Reads;

    /// <summary>System calls that this session's device queue has made.</summary>
    public long SystemCalls => _runner.Session.Counters.SystemCalls;

    /// <summary>The reads of this session.</summary>
    internal Pipeline.PendingIoSession Reads => _runner.Session;

    /// <summary>What this session searches.</summary>
    internal SearchIndex Index => _index;

    /// <summary>Searches for one query.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query: as many components as the index's dimension.</param>
    /// <param name="k">Results wanted: 1 to the number of vectors.</param>
    /// <param name="hits">Receives the results, nearest first; at least k long.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>What the query cost; <see cref="SearchStatistics.Hits"/> results are valid.</returns>
    /// <exception cref="InvalidVectorException">The query has another type or dimension, or holds NaN.</exception>
    /// <exception cref="Storage.IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="Devices.DeviceException">A read failed.</exception>
    public SearchStatistics Search<T>(ReadOnlySpan<T> query, int k, Span<SearchHit> hits, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        QueryCheck.One(_index, VectorElementTypes.Of<T>(), query.Length);
        SearchMany(query, k, hits, _single, options, cancellationToken);
        return _single[0];
    }

    /// <summary>Searches for many queries, several of them in flight at once.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="queries">n queries, one after another.</param>
    /// <param name="k">Results wanted for each: 1 to the number of vectors.</param>
    /// <param name="hits">Receives k results a query, nearest first, row by row; at least n x k long.</param>
    /// <param name="statistics">Receives what each query cost; n long, or empty.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the search early; rows that were answered by then are valid.</param>
    /// <exception cref="InvalidVectorException">The queries have another type or dimension, or one holds NaN: nothing was searched.</exception>
    /// <exception cref="Storage.IndexCorruptException">A page that a query read is damaged.</exception>
    /// <exception cref="Devices.DeviceException">A read failed.</exception>
    public void SearchMany<T>(
        ReadOnlySpan<T> queries,
        int k,
        Span<SearchHit> hits,
        Span<SearchStatistics> statistics,
        SearchOptions? options = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        options ??= SearchOptions.Default;
        int listSize = options.Validate(k, _index.Schema.Count);
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(queries);
        int rows = QueryCheck.Many(_index, VectorElementTypes.Of<T>(), queries.Length, bytes);
        if (hits.Length < (long)rows * k)
            throw new ArgumentException($"Expected room for {rows} x {k} hits, found {hits.Length}.", nameof(hits));
        if (!statistics.IsEmpty && statistics.Length < rows)
            throw new ArgumentException($"Expected room for {rows} statistics or none, found {statistics.Length}.", nameof(statistics));

        int rowBytes = _index.Layout.VectorBytes;
        int next = 0, done = 0;
        try
        {
            while (done < rows)
            {
                while (next < rows && _idle.Count > 0)
                {
                    SessionRequest request = _idle.Pop();
                    request.Row = next;
                    request.Ask(bytes.Slice(next * rowBytes, rowBytes), k, listSize, options, Stopwatch.GetTimestamp(), cancellationToken);
                    bool started = _runner.TryStart(request);
                    Debug.Assert(started, "there is a slot for every request");
                    next++;
                }

                _runner.Turn();
                done += Collect(k, hits, statistics);
            }
        }
        catch (Exception e)
        {
            // Whatever it was, a device that threw or a thread that may not search here: no query of this batch goes on into the next.
            _runner.AbortAll(e);
            while (_completed.TryPop(out SessionRequest? aborted))
                _idle.Push(aborted);
            throw;
        }
    }

    /// <summary>Waits for reads in flight and frees the session's memory.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        _runner.Dispose();
        _onDisposed();
    }

    private int Collect(int k, Span<SearchHit> hits, Span<SearchStatistics> statistics)
    {
        int collected = 0;
        Exception? error = null;
        while (_completed.TryPop(out SessionRequest? request))
        {
            collected++;
            error ??= request.Error;
            if (request.Error is null)
            {
                request.Hits.AsSpan(0, request.Statistics.Hits).CopyTo(hits[(request.Row * k)..]);
                if (!statistics.IsEmpty)
                    statistics[request.Row] = request.Statistics;
            }

            _idle.Push(request);
        }

        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
        return collected;
    }
}

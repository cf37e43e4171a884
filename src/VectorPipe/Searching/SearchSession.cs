using System.Diagnostics;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics;

namespace VectorPipe.Searching;

/// <summary>Synchronous search and look-up for callers who own their threads: the calling thread runs the queries itself.</summary>
/// <remarks>
/// Bound to the thread that first searches with it: every call, disposal included, comes from that thread, or is refused with an <see cref="InvalidOperationException"/>. Open one session a thread,
/// and await nothing while it is open: what follows may run on another thread.
/// Steady state allocates nothing.
/// </remarks>
public sealed class SearchSession : IDisposable
{
    private readonly SearchIndex _index;
    private readonly SearchRunner _runner;
    private readonly SessionLookups _lookups;
    private readonly Action _onDisposed;
    private readonly Stack<SessionRequest> _idle;
    private readonly Stack<SessionRequest> _completed;
    private readonly RecentResults _recent = new();
    private readonly SearchStatistics[] _single = new SearchStatistics[1];
    private Thread? _owner;
    private bool _disposed;

    internal SearchSession(SearchIndex index, int queriesInFlight, Action onDisposed)
    {
        _index = index;
        _onDisposed = onDisposed;
        _runner = new SearchRunner(index, queriesInFlight, _recent);
        _lookups = new SessionLookups(_runner, index.Schema.VectorBytes);
        _idle = new Stack<SessionRequest>(queriesInFlight);
        _completed = new Stack<SessionRequest>(queriesInFlight);
        for (int i = 0; i < queriesInFlight; i++)
            _idle.Push(new SessionRequest(_completed));
    }

    /// <summary>Most queries in flight on this thread.</summary>
    public int QueriesInFlight => _runner.Capacity;

    /// <summary>Reads that the device has accepted from this session, counted at the device queue.</summary>
    public long DeviceReads => _runner.DeviceReads;

    /// <summary>System calls that this session's device queue has made.</summary>
    public long SystemCalls => _runner.SystemCalls;

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
        ObjectDisposedException.ThrowIf(_disposed, this);
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(query);
        QueryCheck.One(_index, VectorElementTypes.Of<T>(), query.Length, bytes);
        SearchChecked(bytes, 1, k, hits, _single, options, cancellationToken);
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
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(queries);
        int rows = QueryCheck.Many(_index, VectorElementTypes.Of<T>(), queries.Length, bytes);
        SearchChecked(bytes, rows, k, hits, statistics, options, cancellationToken);
    }

    /// <summary>Looks a key up and copies its vector.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="key">The key.</param>
    /// <param name="vector">Receives the vector, exactly as long as the index's dimension; zeros if there is none.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    /// <returns>Whether the index holds the key.</returns>
    /// <exception cref="InvalidVectorException">The index has another type or dimension.</exception>
    /// <exception cref="Storage.IndexCorruptException">A page that the look-up read is damaged.</exception>
    /// <exception cref="Devices.DeviceException">A read failed.</exception>
    public bool TryGet<T>(ulong key, Span<T> vector, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        bool found = false;
        return TryGetMany(new ReadOnlySpan<ulong>(in key), vector, new Span<bool>(ref found), cancellationToken) == 1;
    }

    /// <summary>Looks many keys up, as many of them in flight at once as the session has reads.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="keys">n keys; one may come twice.</param>
    /// <param name="vectors">Receives n vectors, row by row; exactly n x dimension long. Rows of missing keys are zeros.</param>
    /// <param name="found">Receives whether each key was found; at least n long.</param>
    /// <param name="cancellationToken">Ends the look-ups early; after an error, what the spans hold is not specified.</param>
    /// <returns>Keys that were found.</returns>
    /// <exception cref="InvalidVectorException">The index has another type or dimension: nothing was read.</exception>
    /// <exception cref="Storage.IndexCorruptException">A page that a look-up read is damaged.</exception>
    /// <exception cref="Devices.DeviceException">A read failed.</exception>
    public int TryGetMany<T>(ReadOnlySpan<ulong> keys, Span<T> vectors, Span<bool> found, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        QueryCheck.Room(_index, VectorElementTypes.Of<T>(), keys.Length, vectors.Length);
        if (found.Length < keys.Length)
            throw new ArgumentException($"Expected room for {keys.Length} flags, found {found.Length}.", nameof(found));
        Own();
        return _lookups.GetMany(keys, MemoryMarshal.AsBytes(vectors), found, cancellationToken);
    }

    /// <summary>Forgets where the latest queries ended, for a session that is about to serve somebody else; see <see cref="SearchOptions.EnterAtRecentResults"/>.</summary>
    public void ForgetRecentResults()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        _recent.Clear();
    }

    /// <summary>Waits for reads in flight and frees the session's memory. Idempotent.</summary>
    /// <exception cref="InvalidOperationException">Another thread has searched with it, and is alive: nothing was changed.</exception>
    public void Dispose()
    {
        if (_disposed)
            return;
        if (_owner is { IsAlive: true } owner && owner != Thread.CurrentThread)
            throw WrongThread(owner);
        _disposed = true;
        _runner.Dispose();
        _onDisposed();
    }

    // The device queue would notice, but a batch of the owner's may be under way: nothing is touched.
    private void Own()
    {
        _owner ??= Thread.CurrentThread;
        if (_owner != Thread.CurrentThread)
            throw WrongThread(_owner);
    }

    private static InvalidOperationException WrongThread(Thread owner) => new(
        $"A session belongs to the thread that first searched with it: expected thread {owner.ManagedThreadId}, found {Environment.CurrentManagedThreadId}. Code that awaits between two calls may go on on another thread.");

    private void SearchChecked(
        ReadOnlySpan<byte> queries, int rows, int k, Span<SearchHit> hits, Span<SearchStatistics> statistics, SearchOptions? options, CancellationToken cancellationToken)
    {
        Own();
        options ??= SearchOptions.Default;
        SearchPlan plan = options.Resolve(k, _index);
        if (hits.Length < (long)rows * k)
            throw new ArgumentException($"Expected room for {rows} x {k} hits, found {hits.Length}.", nameof(hits));
        if (!statistics.IsEmpty && statistics.Length < rows)
            throw new ArgumentException($"Expected room for {rows} statistics or none, found {statistics.Length}.", nameof(statistics));

        int rowBytes = _index.Schema.VectorBytes;
        int next = 0, done = 0;
        try
        {
            while (done < rows)
            {
                while (next < rows && _idle.Count > 0)
                {
                    SessionRequest request = _idle.Pop();
                    request.Row = next;
                    request.Ask(queries.Slice(next * rowBytes, rowBytes), k, plan, Stopwatch.GetTimestamp(), cancellationToken);
                    request.Enter(_runner);
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

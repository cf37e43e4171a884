using VectorPipe.Pipeline;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;

namespace VectorPipe;

/// <summary>Synchronous search and look-up for callers who own their threads: the calling thread runs the queries itself.</summary>
/// <remarks>
/// <para>A session belongs to the thread that first searches with it: a call from another thread throws an <see
/// cref="InvalidOperationException"/>. Open one session a thread, and await nothing while it is open: code behind an await may run on
/// another thread.</para>
/// <para>Disposal of the index closes its open sessions, from any thread. It waits for a call under way, which ends with an <see
/// cref="ObjectDisposedException"/>, as a rule within some milliseconds; every later call throws the same.</para>
/// <para>Steady state allocates nothing.</para>
/// </remarks>
public sealed class SearchSession : IDisposable
{
    private const int Idle = 0;
    private const int InCall = 1;
    private const int Closed = 2;

    private readonly SearchIndex _index;
    private readonly SearchRunner _runner;
    private readonly SearchPlanner _planner;
    private readonly FilterResolver? _filters;
    private readonly SessionRequests<SearchRequest> _searches;
    private readonly SessionRequests<LookupRequest> _lookups;
    private readonly Action _onClosed;
    private readonly SearchStatistics[] _single = new SearchStatistics[1];
    private readonly ManualResetEventSlim _closed = new();
    private Thread? _owner;
    private int _state;
    private bool _isClosing;

    internal SearchSession(
        SearchIndex index, int queriesInFlight, Action onClosed, SearchPlanner? planner = null, FilterResolver? filters = null)
    {
        _index = index;
        _planner = planner ?? new SearchPlanner(index);
        _filters = filters;
        _onClosed = onClosed;
        _runner = new SearchRunner(index, queriesInFlight);
        _runner.Open();
        _searches = new SessionRequests<SearchRequest>(queriesInFlight, static completion => new SearchRequest(completion));
        _lookups = new SessionRequests<LookupRequest>(_runner.Session.Capacity, static completion => new LookupRequest(completion));
    }

    /// <summary>Most queries in flight on this thread.</summary>
    public int QueriesInFlight => _runner.Capacity;

    /// <summary>Reads that the device has accepted from this session, counted at the device queue.</summary>
    internal long DeviceReads => _runner.DeviceReads;

    /// <summary>System calls of this session's device queues.</summary>
    internal long SystemCalls => _runner.SystemCalls;

    internal PendingIoSession Reads => _runner.Session;

    internal SearchIndex Index => _index;

    /// <summary>Searches for one query.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query: as many components as the index's dimension.</param>
    /// <param name="k">Results wanted, 1 or more. An index of fewer vectors gives all of them.</param>
    /// <param name="hits">Receives the results, nearest first; at least k long.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>The costs of the query; <see cref="SearchStatistics.Hits"/> results are valid.</returns>
    /// <exception cref="InvalidVectorException">The query has another type or dimension, or holds NaN.</exception>
    /// <exception cref="IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="ArgumentException">There is no room for the hits.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="InvalidOperationException">The session belongs to another thread.</exception>
    /// <exception cref="ObjectDisposedException">The session or its index was disposed.</exception>
    public SearchStatistics Search<T>(
        ReadOnlySpan<T> query, int k, Span<SearchHit> hits, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        Enter();
        try
        {
            QueryCheck.One(_index, query);
            Run(query, 1, k, hits, _single, options, cancellationToken);
        }
        finally
        {
            Leave();
        }

        return _single[0];
    }

    /// <summary>Searches for many queries, several of them in flight at once.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="queries">n queries, one after another.</param>
    /// <param name="k">Results wanted for each, 1 or more. An index of fewer vectors gives all of them.</param>
    /// <param name="hits">Receives the results, nearest first, k places a query; at least n x k long. Places behind the last result of a
    /// query stay as they are.</param>
    /// <param name="statistics">Receives the costs of each query; n long, or empty.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the search early; answered rows are valid.</param>
    /// <exception cref="InvalidVectorException">The queries have another type or dimension, or one holds NaN: nothing was
    /// searched.</exception>
    /// <exception cref="IndexCorruptException">A page that a query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="ArgumentException">There is no room for the hits.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="InvalidOperationException">The session belongs to another thread.</exception>
    /// <exception cref="ObjectDisposedException">The session or its index was disposed.</exception>
    public void SearchMany<T>(
        ReadOnlySpan<T> queries, int k, Span<SearchHit> hits, Span<SearchStatistics> statistics, SearchOptions? options = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        Enter();
        try
        {
            Run(queries, QueryCheck.Many(_index, queries), k, hits, statistics, options, cancellationToken);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Searches for stored vectors, several of them in flight at once; the tuning says who receives what they meet.</summary>
    internal void Run(IReadOnlyList<ReadOnlyMemory<byte>> vectors, SearchOptions options, CancellationToken cancellationToken)
    {
        const int k = 10;
        Enter();
        try
        {
            var batch = new StoredVectorBatch(vectors, Plan(k, options), cancellationToken);
            _searches.Run(_runner, ref batch, in _isClosing);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Looks a key up and copies its vector.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="key">The key.</param>
    /// <param name="vector">Receives the vector, exactly as long as the index's dimension; zeros if there is none.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    /// <returns>Whether the index holds the key.</returns>
    /// <exception cref="InvalidVectorException">The index has another type or dimension.</exception>
    /// <exception cref="IndexCorruptException">A page that the look-up read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="InvalidOperationException">The session belongs to another thread.</exception>
    /// <exception cref="ObjectDisposedException">The session or its index was disposed.</exception>
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
    /// <param name="cancellationToken">Ends the look-ups early; after an error the contents of the spans are unspecified.</param>
    /// <returns>Keys that were found.</returns>
    /// <exception cref="InvalidVectorException">The index has another type or dimension: nothing was read.</exception>
    /// <exception cref="IndexCorruptException">A page that a look-up read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="InvalidOperationException">The session belongs to another thread.</exception>
    /// <exception cref="ObjectDisposedException">The session or its index was disposed.</exception>
    public int TryGetMany<T>(ReadOnlySpan<ulong> keys, Span<T> vectors, Span<bool> found, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        Enter();
        try
        {
            QueryCheck.Room<T>(_index, keys.Length, vectors.Length);
            if (found.Length < keys.Length)
                throw new ArgumentException($"Expected room for {keys.Length} flags, found {found.Length}.", nameof(found));
            var batch = new LookupBatch<T>(keys, vectors, found, cancellationToken);
            _lookups.Run(_runner, ref batch, in _isClosing);
            return batch.Hits;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Looks up the nodes of many keys, as many of them in flight at once as the session has reads.</summary>
    /// <param name="keys">n keys.</param>
    /// <param name="nodes">Receives the node of each key, null without it; at least n long.</param>
    /// <param name="failed">Receives row and error of each look-up that fails; null if the first error ends all.</param>
    /// <param name="cancellationToken">Ends the look-ups early.</param>
    internal void FindNodes(
        ReadOnlySpan<ulong> keys, Span<uint?> nodes, Action<int, Exception>? failed, CancellationToken cancellationToken)
    {
        Enter();
        try
        {
            var batch = new NodeBatch(keys, nodes, failed, cancellationToken);
            _lookups.Run(_runner, ref batch, in _isClosing);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Waits for reads in flight and frees the session's memory. Idempotent.</summary>
    /// <exception cref="InvalidOperationException">Another thread has searched with it, and is alive: nothing was changed.</exception>
    public void Dispose()
    {
        if (Volatile.Read(ref _state) == Closed)
            return;
        if (_owner is { IsAlive: true } owner && owner != Thread.CurrentThread)
            throw WrongThread(owner);
        if (Interlocked.CompareExchange(ref _state, Closed, Idle) == Idle)
            Free();
    }

    /// <summary>Closes the session for its index, from any thread; a call under way ends first.</summary>
    internal void Close()
    {
        Volatile.Write(ref _isClosing, true);

        // Either the session is idle, or the call under way closes it when it becomes idle.
        if (Interlocked.CompareExchange(ref _state, Closed, Idle) != Idle)
        {
            if (Volatile.Read(ref _state) == InCall && _owner == Thread.CurrentThread)
                throw new InvalidOperationException(
                    "Expected the index to be disposed outside the calls of its sessions, found a call of this thread under way.");
            _closed.Wait();
            return;
        }

        _runner.Disown();
        Free();
    }

    private void Enter()
    {
        Thread current = Thread.CurrentThread;
        if (_owner is { } owner && owner != current && Volatile.Read(ref _state) != Closed)
            throw WrongThread(owner);
        int state = Interlocked.CompareExchange(ref _state, InCall, Idle);
        ObjectDisposedException.ThrowIf(state == Closed, this);

        // The owner may have entered just now, with a batch under way.
        if (state == InCall)
            throw WrongThread(_owner ?? current);
        _owner ??= current;
        if (_owner == current)
            return;
        Leave();
        throw WrongThread(_owner);
    }

    private void Leave()
    {
        Interlocked.Exchange(ref _state, Idle);
        if (Volatile.Read(ref _isClosing) && Interlocked.CompareExchange(ref _state, Closed, Idle) == Idle)
            Free();
    }

    private void Free()
    {
        try
        {
            _runner.Dispose();
        }
        finally
        {
            _onClosed();
            _closed.Set();
        }
    }

    private MatchSet? MatchesOf(KeyFilter? filter, CancellationToken cancellationToken)
    {
        if (filter is null)
            return null;
        if (_filters is null)
            throw new InvalidOperationException("Expected a session of an open index for a search with a filter, found one of its own.");
        return _filters.TryGet(filter, out MatchSet? matches)
            ? matches
            : _filters.ResolveAsync(filter, cancellationToken).GetAwaiter().GetResult();
    }

    private static InvalidOperationException WrongThread(Thread owner) => new(
        $"A session belongs to the thread that first searched with it: expected thread {owner.ManagedThreadId}, "
        + $"found {Environment.CurrentManagedThreadId}. Code that awaits between two calls may go on on another thread.");

    private SearchPlan Plan(int k, SearchOptions? options) => QueriesInFlight > 0
        ? _planner.Plan(k, options)
        : throw new InvalidOperationException("Expected a session with room for a query, found one for look-ups alone.");

    private void Run<T>(
        ReadOnlySpan<T> queries, int rows, int k, Span<SearchHit> hits, Span<SearchStatistics> statistics, SearchOptions? options,
        CancellationToken cancellationToken)
        where T : unmanaged
    {
        SearchPlan plan = Plan(k, options);
        if (hits.Length < (long)rows * k)
            throw new ArgumentException($"Expected room for {rows} x {k} hits, found {hits.Length}.", nameof(hits));
        if (!statistics.IsEmpty && statistics.Length < rows)
            throw new ArgumentException($"Expected room for {rows} statistics or none, found {statistics.Length}.", nameof(statistics));
        var admission = new Admission(null, MatchesOf(options?.Keys, cancellationToken));
        var batch = new SearchBatch<T>(queries, rows, hits, statistics, plan, admission, cancellationToken);
        _searches.Run(_runner, ref batch, in _isClosing);
    }
}

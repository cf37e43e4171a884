using VectorPipe.Pipeline;
using VectorPipe.Searching.Exact;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>One thread's queries and look-ups in flight: while some wait for reads, others are advanced.</summary>
/// <remarks>
/// Single-threaded by contract, from the first request to disposal. Exact searches have a session of their own, so a runner that serves
/// nothing else need not be opened: small indexes are searched exactly.
/// </remarks>
internal sealed class SearchRunner : IDisposable
{
    // Bounds how late a new query, a cancellation or a deadline is noticed behind a slow device.
    private static readonly TimeSpan _waitSlice = TimeSpan.FromMilliseconds(1);

    // Time between two looks at all requests for those that must end.
    private const int CancellationSliceMs = 10;

    // In the order in which their queries began, so that the oldest gets its ops first: see docs/decisions.md#oldest-query-first.
    private readonly QuerySlot[] _runnable;
    private readonly WaitingRequests _waiting;
    private readonly bool _ownsWaiting;
    private readonly SearchIndex _index;
    private QuerySlot[] _queries = [];
    private PendingIoSession? _session;
    private KeyLookups? _lookups;
    private int _runnableCount;
    private int _active;
    private long _nextLookMs;
    private bool _lookupsFirst;
    private bool _hasYielded;

    /// <param name="index">What is searched; outlives the runner.</param>
    /// <param name="queriesInFlight">Most queries at once.</param>
    /// <param name="waiting">Requests that wait, if they outlive the runner; null for the runner's own.</param>
    public SearchRunner(SearchIndex index, int queriesInFlight, WaitingRequests? waiting = null)
    {
        _waiting = waiting ?? new WaitingRequests();
        _ownsWaiting = waiting is null;
        _index = index;
        _runnable = new QuerySlot[queriesInFlight];
        Exact = new ExactScan(index, queriesInFlight, _waiting);
    }

    /// <summary>Whether it can serve queries and look-ups.</summary>
    public bool IsOpen => _session is not null;

    public PendingIoSession Session => _session ?? throw new InvalidOperationException("Expected a runner that is open.");

    public int Capacity => _runnable.Length;

    public ExactScan Exact { get; }

    /// <summary>Whether a request waits that it must be opened for.</summary>
    public bool NeedsSession => _session is null && _waiting.Count > _waiting.CountOf(RequestKind.Scan);

    /// <summary>Most queries in flight, if fewer than there is room for. With 0, no request begins, of any kind.</summary>
    public int MostQueries { get; set; } = int.MaxValue;

    /// <summary>Queries in flight.</summary>
    public int Queries => _active;

    /// <summary>Requests that have begun and have not ended.</summary>
    public int Active => _active + (_lookups?.Active ?? 0) + Exact.Active;

    /// <summary>Requests that were accepted and have not ended.</summary>
    public int Unfinished => Active + _waiting.Count;

    /// <summary>Why a device queue of this thread has failed; null while they serve.</summary>
    public DeviceException? Fault => _session?.Fault ?? Exact.Fault;

    /// <summary>Reads that the device has accepted from this thread.</summary>
    public long DeviceReads => (_session?.Counters.Reads ?? 0) + Exact.Counters.Reads;

    /// <summary>System calls of this thread's device queues.</summary>
    public long SystemCalls => (_session?.Counters.SystemCalls ?? 0) + Exact.Counters.SystemCalls;

    /// <summary>Whether no read is in flight, not even for a request that has ended.</summary>
    public bool IsSettled => (_session is null || _session.Free == _session.Capacity) && Exact.IsSettled;

    public static PendingIoOptions ReadOptions(SearchIndex index, int queriesInFlight) => index.Reads with
    {
        Capacity = CapacityFor(queriesInFlight),
        BufferBytes = index.MostReadBytes,

        // A quarter of the depth that queries of the default width reach together.
        SubmitEvery = index.Reads.SubmitEvery ?? Math.Max(8, queriesInFlight),
    };

    /// <summary>Reads of a session: eight for every query. A query that wants more tries again after the next drain.</summary>
    public static int CapacityFor(int queriesInFlight) => Math.Clamp(queriesInFlight * 8, 32, 4096);

    /// <summary>Makes it ready for queries and look-ups, on its thread. A turn does so when it is needed.</summary>
    /// <exception cref="DeviceException">The device cannot open a queue; nothing was opened.</exception>
    public void Open()
    {
        if (_session is not null)
            return;
        var session = new PendingIoSession(_index.Device, ReadOptions(_index, Capacity));
        var queries = new QuerySlot[Capacity];
        try
        {
            for (int i = 0; i < queries.Length; i++)
                queries[i] = _index.CreateQuery(session, Capacity);
            _lookups = new KeyLookups(_index, session, _waiting);
        }
        catch
        {
            Free(session, queries);
            throw;
        }

        (_session, _queries) = (session, queries);
    }

    /// <summary>Accepts a request; it begins when there is room.</summary>
    public void Accept(PendingRequest request) => _waiting.Enqueue(request);

    /// <summary>One turn: begins and advances requests, then drains; waits briefly if there is nothing else to do.</summary>
    public void Turn() => Turn(_waitSlice);

    /// <summary>One turn that waits for at most a time.</summary>
    public void Turn(TimeSpan wait)
    {
        bool isDue = Environment.TickCount64 >= _nextLookMs;
        if (isDue)
        {
            _waiting.EndEarly();

            // Set after the look: a long one must not be due again at once.
            _nextLookMs = Environment.TickCount64 + CancellationSliceMs;
        }

        if (NeedsSession)
            Open();
        if (_session is null)
        {
            // Who cannot open a queue for the scan cannot serve at all.
            if (_waiting.CountOf(RequestKind.Scan) > 0)
                Exact.Open();
            Exact.Turn(wait, MayBegin);
            return;
        }

        StartWaiting();

        // Advancing queries takes a while: reads that the last turn issued must not wait for it.
        if (_runnableCount > 0)
            _session.Submit();

        // Queries and look-ups draw on the same ops: they take turns to go first, so that neither starves the other.
        _lookupsFirst = !_lookupsFirst;
        if (_lookupsFirst && MayBegin)
            _lookups!.Issue();
        AdvanceRunnable();
        if (!_lookupsFirst && MayBegin)
            _lookups!.Issue();

        // Waiting look-ups count: reads of ended requests may hold every op, and only a drain brings one back.
        bool isWalking = _active + _lookups!.Active + _waiting.CountOf(RequestKind.Lookup) > 0;

        // The scan waits only if it is alone; beside walks the drain waits for both, unless the scan has more to do.
        bool isScanning = Exact.Turn(isWalking ? TimeSpan.Zero : wait, MayBegin);
        if (isWalking)
            TakeLanded(_session.Drain(isScanning || _hasYielded ? TimeSpan.Zero : wait), isDue);
    }

    /// <summary>Drains reads of requests that have ended, for at most a time.</summary>
    public void Settle(TimeSpan wait)
    {
        if (_session is not null && _session.Free < _session.Capacity)
            _session.Drain(wait);
        if (!Exact.IsSettled)
            Exact.Settle(wait);
    }

    /// <summary>Ends everything that was accepted with an error; reads in flight are dropped when they land.</summary>
    public void AbortAll(Exception error)
    {
        _waiting.FailAll(error);
        AbortActive(error);
    }

    /// <summary>Ends everything that has begun with an error; reads in flight are dropped when they land.</summary>
    public void AbortActive(Exception error)
    {
        _lookups?.AbortActive(error);
        Exact.AbortActive(error);

        // A turn that threw may have left queries half-way: trust neither the list nor the count.
        foreach (QuerySlot query in _queries)
        {
            query.Abort(error);
            query.IsQueued = false;
        }

        _active = 0;
        _runnableCount = 0;
    }

    /// <summary>Lets another thread dispose the runner, which its own thread must not use any more.</summary>
    public void Disown()
    {
        _session?.Disown();
        Exact.Disown();
    }

    /// <summary>Ends requests, waits for reads in flight and frees everything. On the runner's thread, or after <see
    /// cref="Disown"/>.</summary>
    public void Dispose()
    {
        var error = new ObjectDisposedException(nameof(SearchRunner));
        if (_ownsWaiting)
            _waiting.FailAll(error);
        AbortActive(error);
        try
        {
            Exact.Dispose();
        }
        finally
        {
            Free(_session, _queries);
        }
    }

    private bool MayBegin => MostQueries > 0;

    private static void Free(PendingIoSession? session, QuerySlot?[] queries)
    {
        try
        {
            session?.Dispose();
        }
        finally
        {
            foreach (QuerySlot? query in queries)
                query?.Dispose();
        }
    }

    private void StartWaiting()
    {
        int most = Math.Min(_queries.Length, MostQueries);
        while (_active < most && _waiting.TryDequeue(RequestKind.Search, out PendingRequest? request))
        {
            if (request.EndIfItMust())
                continue;
            var search = (SearchRequest)request;
            if (search.FindsNothing)
            {
                search.AnswerNothing();
                continue;
            }

            int slot = Array.FindIndex(_queries, static query => !query.IsActive);
            QuerySlot query = _queries[slot];
            Array.Copy(_queries, slot + 1, _queries, slot, _queries.Length - slot - 1);
            _queries[^1] = query;
            query.Start(search);
            _active++;
            MakeRunnable(query);
        }
    }

    private void AdvanceRunnable()
    {
        int count = _runnableCount;
        _runnableCount = 0;
        bool owes = false;
        _hasYielded = false;
        for (int i = 0; i < count; i++)
        {
            QuerySlot query = _runnable[i];
            query.IsQueued = false;
            if (query.Advance())
                _active--;
            owes |= query.Owes;
            _hasYielded |= query.HasYielded;
        }

        // Work that steers nothing waits until the chosen reads are submitted.
        if (!owes)
            return;
        _session!.Submit();
        for (int i = 0; i < count; i++)
            _runnable[i].Settle();
    }

    /// <summary>Finds the queries that can go on after a drain.</summary>
    /// <param name="served">Ops that the drain has served.</param>
    /// <param name="isDue">Whether to look for requests that must end behind a busy device.</param>
    private void TakeLanded(int served, bool isDue)
    {
        if (served == 0 || isDue)
            _lookups!.EndCancelled();
        foreach (QuerySlot query in _queries)
        {
            // Only queries that must end go on by the clock: the order of work must follow from the order of completions alone.
            if (query.IsActive && (served == 0 || query.CanAdvance || (isDue && query.MustEnd)))
                MakeRunnable(query);
        }
    }

    private void MakeRunnable(QuerySlot query)
    {
        if (query.IsQueued)
            return;
        query.IsQueued = true;
        _runnable[_runnableCount++] = query;
    }
}

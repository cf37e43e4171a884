using VectorPipe.Pipeline;
using VectorPipe.Searching.Exact;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>One thread's queries and look-ups in flight: while some wait for reads, others are advanced.</summary>
/// <remarks>Single-threaded by contract, from the first request to disposal.</remarks>
internal sealed class SearchRunner : IDisposable
{
    // Bounds how late a new query, a cancellation or a deadline is noticed behind a slow device.
    private static readonly TimeSpan _waitSlice = TimeSpan.FromMilliseconds(1);

    // Time between two looks at all requests for those that must end.
    private const int CancellationSliceMs = 10;

    private readonly PendingIoSession _session;

    // In the order in which their queries began, so that the oldest gets its ops first: see docs/decisions.md#oldest-query-first.
    private readonly QuerySlot[] _queries;
    private readonly QuerySlot[] _runnable;
    private readonly WaitingRequests _waiting;
    private readonly bool _ownsWaiting;
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
        _queries = new QuerySlot[queriesInFlight];
        _runnable = new QuerySlot[queriesInFlight];
        _session = new PendingIoSession(index.Device, ReadOptions(index, queriesInFlight));
        try
        {
            for (int i = 0; i < _queries.Length; i++)
                _queries[i] = index.CreateQuery(_session, queriesInFlight);
            Lookups = new KeyLookups(index, _session, _waiting);
            Exact = new ExactScan(index, queriesInFlight, _waiting);
        }
        catch
        {
            Free();
            throw;
        }
    }

    public PendingIoSession Session => _session;

    public int Capacity => _queries.Length;

    public KeyLookups Lookups { get; }

    public ExactScan Exact { get; }

    /// <summary>Requests that have begun and have not ended.</summary>
    public int Active => _active + Lookups.Active + Exact.Active;

    /// <summary>Requests that were accepted and have not ended.</summary>
    public int Unfinished => Active + _waiting.Count;

    /// <summary>Why a device queue of this thread has failed; null while they serve.</summary>
    public DeviceException? Fault => _session.Fault ?? Exact.Fault;

    /// <summary>Reads that the device has accepted from this thread.</summary>
    public long DeviceReads => _session.Counters.Reads + Exact.Counters.Reads;

    /// <summary>System calls of this thread's device queues.</summary>
    public long SystemCalls => _session.Counters.SystemCalls + Exact.Counters.SystemCalls;

    /// <summary>Whether no read is in flight, not even for a request that has ended.</summary>
    public bool IsSettled => _session.Free == _session.Capacity && Exact.IsSettled;

    public static PendingIoOptions ReadOptions(SearchIndex index, int queriesInFlight) => index.Reads with
    {
        Capacity = CapacityFor(queriesInFlight),
        BufferBytes = index.MostReadBytes,

        // A quarter of the depth that queries of the default width reach together.
        SubmitEvery = index.Reads.SubmitEvery ?? Math.Max(8, queriesInFlight),
    };

    /// <summary>Reads of a session: eight for every query. A query that wants more tries again after the next drain.</summary>
    public static int CapacityFor(int queriesInFlight) => Math.Clamp(queriesInFlight * 8, 32, 4096);

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

        StartWaiting();

        // Advancing queries takes a while: reads that the last turn issued must not wait for it.
        if (_runnableCount > 0)
            _session.Submit();

        // Queries and look-ups draw on the same ops: they take turns to go first, so that neither starves the other.
        _lookupsFirst = !_lookupsFirst;
        if (_lookupsFirst)
            Lookups.Issue();
        AdvanceRunnable();
        if (!_lookupsFirst)
            Lookups.Issue();

        // Waiting look-ups count: reads of ended requests may hold every op, and only a drain brings one back.
        bool isWalking = _active + Lookups.Active + _waiting.CountOf(RequestKind.Lookup) > 0;

        // The scan waits only if it is alone; beside walks the drain waits for both, unless the scan has more to do.
        bool isScanning = Exact.Turn(isWalking ? TimeSpan.Zero : wait);
        if (isWalking)
            TakeLanded(_session.Drain(isScanning || _hasYielded ? TimeSpan.Zero : wait), isDue);
    }

    /// <summary>Drains reads of requests that have ended, for at most a time.</summary>
    public void Settle(TimeSpan wait)
    {
        if (_session.Free < _session.Capacity)
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
        Lookups.AbortActive(error);
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
        _session.Disown();
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
            Free();
        }
    }

    private void Free()
    {
        try
        {
            _session.Dispose();
        }
        finally
        {
            foreach (QuerySlot? query in _queries)
                query?.Dispose();
        }
    }

    private void StartWaiting()
    {
        while (_active < _queries.Length && _waiting.TryDequeue(RequestKind.Search, out PendingRequest? request))
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
        _session.Submit();
        for (int i = 0; i < count; i++)
            _runnable[i].Settle();
    }

    /// <summary>Finds the queries that can go on after a drain.</summary>
    /// <param name="served">Ops that the drain has served.</param>
    /// <param name="isDue">Whether to look for requests that must end behind a busy device.</param>
    private void TakeLanded(int served, bool isDue)
    {
        if (served == 0 || isDue)
            Lookups.EndCancelled();
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

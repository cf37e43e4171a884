using VectorPipe.Pipeline;
using VectorPipe.Searching.Exact;

namespace VectorPipe.Searching;

/// <summary>One thread's queries and look-ups in flight: while some wait for reads, others are advanced.</summary>
/// <remarks>Single-threaded by contract, from the first request to disposal.</remarks>
internal sealed class SearchRunner : IDisposable
{
    // Reads in flight bound the wait; the slice only bounds how late a new query or a cancellation is noticed behind a slow device.
    private static readonly TimeSpan _waitSlice = TimeSpan.FromMilliseconds(1);

    // How late a cancellation is noticed by those that wait for a slot or an op, or whose reads are out while others' land: looking at all of them costs.
    private const int CancellationSliceMs = 10;

    private readonly PendingIoSession _session;

    // In the order in which their queries began: where there are fewer ops than reads wanted, the oldest query has its own first, and none waits for those that came later. On a device held to 80,000 reads a
    // second with 32 ops a thread that takes a quarter off the latency of the slowest hundredth (7.9 -> 6.2 ms, 16 queries in flight, photo-SIFT 1M), and nothing off the throughput.
    private readonly QuerySlot[] _queries;
    private readonly QuerySlot[] _runnable;
    private readonly RequestQueue<SearchRequest> _waiting = new();
    private int _runnableCount;
    private int _active;
    private long _nextLookMs;
    private bool _lookupsFirst;

    /// <param name="index">What is searched; outlives the runner.</param>
    /// <param name="queriesInFlight">Most queries at once.</param>
    /// <param name="recent">Where queries may enter that ask for it; null where queries of several callers meet.</param>
    public SearchRunner(SearchIndex index, int queriesInFlight, RecentResults? recent = null)
    {
        _session = new PendingIoSession(index.Device, ReadOptions(index, queriesInFlight));
        _queries = new QuerySlot[queriesInFlight];
        for (int i = 0; i < _queries.Length; i++)
            _queries[i] = index.CreateQuery(_session, queriesInFlight, recent);
        _runnable = new QuerySlot[queriesInFlight];
        Lookups = new KeyLookups(index, _session);
        Exact = new ExactScan(index, queriesInFlight);
    }

    /// <summary>The reads of this thread.</summary>
    public PendingIoSession Session => _session;

    /// <summary>Most queries at once.</summary>
    public int Capacity => _queries.Length;

    /// <summary>The look-ups of this thread.</summary>
    public KeyLookups Lookups { get; }

    /// <summary>The exact searches of this thread.</summary>
    public ExactScan Exact { get; }

    /// <summary>Requests that were accepted and have not ended.</summary>
    public int Unfinished => _active + _waiting.Count + Lookups.Unfinished + Exact.Unfinished;

    /// <summary>Reads that the device has accepted from this thread.</summary>
    public long DeviceReads => _session.Counters.Reads + Exact.Counters.Reads;

    /// <summary>System calls of this thread's device queues.</summary>
    public long SystemCalls => _session.Counters.SystemCalls + Exact.Counters.SystemCalls;

    /// <summary>Whether no read is out: neither for a request under way, nor for one that has ended.</summary>
    public bool IsSettled => _session.Free == _session.Capacity && Exact.IsSettled;

    /// <summary>How a session reads.</summary>
    public static PendingIoOptions ReadOptions(SearchIndex index, int queriesInFlight) => index.Reads with
    {
        Capacity = CapacityFor(queriesInFlight),
        BufferBytes = index.MostReadBytes,
        // A quarter of the depth that queries of the default width reach together.
        SubmitEvery = index.Reads.SubmitEvery ?? Math.Max(8, queriesInFlight),
    };

    /// <summary>Reads of a session: room for eight of every query; one that wants more takes what is free and tries again after the next drain.</summary>
    public static int CapacityFor(int queriesInFlight) => Math.Clamp(queriesInFlight * 8, 32, 4096);

    /// <summary>Takes a query on; it starts when a slot is free.</summary>
    public void Accept(SearchRequest request)
    {
        if (request.Plan.Mode == SearchMode.Exact)
            Exact.Accept(request);
        else
            _waiting.Enqueue(request);
    }

    /// <summary>One turn: start and advance what can go on, then reap, verify and hand out what has landed; waits briefly if there is nothing else to do.</summary>
    public void Turn()
    {
        StartWaiting();

        // Queries and look-ups draw on the same ops: whoever is served first takes turns, so neither can starve the other.
        // Advancing queries takes a while: what the last turn sent on must not wait for it.
        if (_runnableCount > 0)
            _session.Submit();
        _lookupsFirst = !_lookupsFirst;
        if (_lookupsFirst)
            Lookups.Issue();
        AdvanceRunnable();
        if (!_lookupsFirst)
            Lookups.Issue();

        // Look-ups that wait count: every op may be out for requests that have ended, and only a drain brings one back.
        bool isWalking = _active + Lookups.Unfinished > 0;
        bool isScanning = Exact.Unfinished > 0;
        if (isScanning)
            Exact.Turn(isWalking ? TimeSpan.Zero : _waitSlice);
        if (!isWalking)
            return;
        int served = _session.Drain(isScanning ? TimeSpan.Zero : _waitSlice);

        // A drain that brought nothing is the time to look for what was cancelled; behind a busy device there may be none.
        bool isDue = IsLookDue();
        if (isDue)
        {
            _waiting.FailCancelled();
            Lookups.EndCancelledWaiting();
        }

        if (served == 0 || isDue)
            Lookups.EndCancelled();

        foreach (QuerySlot query in _queries)
        {
            // No other query is looked at by the clock: what a thread does must follow from what lands alone.
            if (query.IsActive && (served == 0 || query.CanAdvance || (isDue && query.IsCancelled)))
                MakeRunnable(query);
        }
    }

    /// <summary>Takes back what has landed for requests that have ended.</summary>
    /// <param name="wait">Longest time to block.</param>
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
        Lookups.AbortAll(error);
        Exact.AbortAll(error);
        _waiting.FailAll(error);

        // A turn that threw may have left queries half-way: neither the list nor the count is trusted.
        foreach (QuerySlot query in _queries)
        {
            query.Abort(error);
            query.IsQueued = false;
        }

        _active = 0;
        _runnableCount = 0;
    }

    /// <summary>Waits for reads in flight and frees everything. On the thread that ran the queries.</summary>
    public void Dispose()
    {
        AbortAll(new ObjectDisposedException(nameof(SearchRunner)));
        try
        {
            Exact.Dispose();
        }
        finally
        {
            _session.Dispose();
            foreach (QuerySlot query in _queries)
                query.Dispose();
        }
    }

    private bool IsLookDue()
    {
        long nowMs = Environment.TickCount64;
        if (nowMs < _nextLookMs)
            return false;
        _nextLookMs = nowMs + CancellationSliceMs;
        return true;
    }

    private void StartWaiting()
    {
        while (_active < _queries.Length && _waiting.TryDequeue(out SearchRequest? request))
        {
            if (request.FailIfCancelled())
                continue;
            int slot = Array.FindIndex(_queries, static query => !query.IsActive);
            QuerySlot query = _queries[slot];
            Array.Copy(_queries, slot + 1, _queries, slot, _queries.Length - slot - 1);
            _queries[^1] = query;
            query.Start(request);
            _active++;
            MakeRunnable(query);
        }
    }

    private void AdvanceRunnable()
    {
        int count = _runnableCount;
        _runnableCount = 0;
        bool owes = false;
        for (int i = 0; i < count; i++)
        {
            QuerySlot query = _runnable[i];
            query.IsQueued = false;
            if (query.Advance())
                _active--;
            owes |= query.Owes;
        }

        // What steers nothing waits until the reads that were chosen are on their way.
        if (!owes)
            return;
        _session.Submit();
        for (int i = 0; i < count; i++)
            _runnable[i].Settle();
    }

    private void MakeRunnable(QuerySlot query)
    {
        if (query.IsQueued)
            return;
        query.IsQueued = true;
        _runnable[_runnableCount++] = query;
    }
}

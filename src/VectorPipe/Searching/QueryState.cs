using System.Diagnostics;
using VectorPipe.Numerics;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <summary>One query slot of a session: the walk over the graph as a state machine that never blocks.</summary>
/// <remarks>
/// <para>One loop serves both modes, in three phases: take in the pages that have arrived (exact distances of all their vectors into the
/// result pool); expand what is loaded, best first, and issue reads up to the width left over; give the thread back when nothing
/// is left to do without a read. Beam search is the same loop with a barrier: it is entered only when no read is in flight, or to issue the
/// rest of a beam for which there were not enough ops; what has landed of that beam is taken in behind the barrier. So a beam answers the
/// same whatever else its session does.</para>
/// <para>The page is the unit: a page that arrives is kept for the query, so a candidate whose page is here is expanded without a read.
/// Every vector seen counts for the answer in both modes, so a comparison between them compares pipelining alone.</para>
/// <para>Only the run thread touches it. All scratch is kept from query to query; a query allocates nothing once its slot has grown.</para>
/// </remarks>
internal sealed unsafe partial class QueryState : IPendingIoOwner, IDisposable
{
    private readonly SearchIndex _index;
    private readonly PendingIoSession _session;
    private readonly QueryDistance _exact;
    private readonly CodeDistanceTable _codes;
    private readonly CandidatePool _candidates = new();
    private readonly ResultPool _results = new();
    private readonly SeenSet _seen = new();
    private readonly PageTable _pages = new();
    private readonly PageArena _arena;
    private readonly uint[] _arrived;
    private readonly (uint Page, nint Bytes)[] _landed;
    private readonly float[] _queryComponents;
    private readonly float[] _pageDistances;
    private readonly uint[] _batchIds;
    private readonly float[] _batchDistances;
    private SearchRequest? _request;
    private Exception? _error;
    private long _ticket;
    private int _arrivedCount;
    private int _landedCount;
    private int _inFlight;
    private long _startedAt;
    private long _cpuTicks;
    private long _waitingSince;
    private int _reads;
    private int _hops;
    private int _cacheHits;
    private int _codeDistances;
    private int _exactDistances;

    public QueryState(SearchIndex index, PendingIoSession session)
    {
        _index = index;
        _session = session;
        NodeLayout layout = index.Layout;
        _exact = QueryDistance.Create(index.Schema.Metric, layout.ElementType, layout.Dimension);
        _codes = new CodeDistanceTable(layout.Dimension, index.Schema.CodeBytes);
        _arena = new PageArena(layout.PageSize);

        // A beam may be wider than its session, which then issues it in parts.
        _arrived = new uint[Math.Max(session.Capacity, SearchOptions.MaxBeamWidth)];
        _landed = new (uint, nint)[SearchOptions.MaxBeamWidth];
        _queryComponents = new float[layout.Dimension];
        _pageDistances = new float[layout.NodesPerPage];
        _batchIds = new uint[Math.Max(layout.MaxDegree, layout.NodesPerPage)];
        _batchDistances = new float[_batchIds.Length];
    }

    /// <summary>Whether the slot serves a query.</summary>
    public bool IsActive => _request is not null;

    /// <summary>Whether the slot waits in the runner's list of queries that can go on; kept by the runner.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Whether the query that the slot serves was cancelled.</summary>
    public bool IsCancelled => _request is { CancellationToken.IsCancellationRequested: true };

    /// <summary>Whether a read could not be issued because no op was free.</summary>
    public bool IsStarved { get; private set; }

    /// <summary>Whether something has changed since the query gave the thread back: a page has landed, a read has failed, an op may be free.</summary>
    public bool CanAdvance => _arrivedCount > 0 || (_landedCount > 0 && _inFlight == 0) || _error is not null || IsStarved;

    /// <summary>Takes a query on; <see cref="Advance"/> starts it.</summary>
    public void Start(SearchRequest request)
    {
        Debug.Assert(_request is null, "one query a slot");
        _request = request;
        _error = null;
        _startedAt = Stopwatch.GetTimestamp();
        _arrivedCount = _landedCount = _inFlight = _reads = _hops = _cacheHits = _codeDistances = _exactDistances = 0;
        _cpuTicks = _waitingSince = 0;
        IsStarved = false;
        request.Trace?.Begin(request.AcceptedAt);

        _exact.SetQuery(request.Query);
        _index.ToCodeSpace(request.Query, _queryComponents);
        _codes.SetQuery(_index.Quantizer, _index.Schema.Metric, _queryComponents);
        _candidates.Reset(request.ListSize);
        _results.Reset(request.K);
        Reserve(request.ListSize);
        _seen.Clear();
        _pages.Clear();
        _arena.Clear();

        _batchIds[0] = (uint)_index.Schema.EntryPoint;
        _seen.Add(_batchIds[0]);
        Offer(1);
        _cpuTicks += Stopwatch.GetTimestamp() - _startedAt;
    }

    /// <summary>Goes on as far as it can without waiting.</summary>
    /// <returns>True if the query has ended: it was answered, or failed.</returns>
    public bool Advance()
    {
        Debug.Assert(_request is not null, "only an active query is advanced");
        SearchRequest request = _request;
        bool wasStarved = IsStarved;
        IsStarved = false;
        if (_error is null && request.CancellationToken.IsCancellationRequested)
            _error = new OperationCanceledException(request.CancellationToken);
        if (_error is null && request.Mode == SearchMode.Beam && !wasStarved)
        {
            if (_inFlight > 0)
                return false;
            PassBarrier();
        }

        long from = Stopwatch.GetTimestamp();
        if (_waitingSince != 0)
        {
            request.Trace?.Add(SearchTraceKind.Wait, _waitingSince, from, count: _inFlight);
            _waitingSince = 0;
        }

        bool ended = _error is not null || Step(request);
        long to = Stopwatch.GetTimestamp();
        _cpuTicks += to - from;
        if (ended)
            End(request, to);
        else if (request.Trace is not null)
            _waitingSince = to;
        return ended;
    }

    /// <summary>Ends the query with an error if it is active; reads in flight are ignored when they land.</summary>
    public void Abort(Exception error)
    {
        if (_request is not { } request)
            return;
        _error = error;
        End(request, Stopwatch.GetTimestamp());
    }

    /// <summary>Frees the page copies.</summary>
    public void Dispose() => _arena.Dispose();

    private bool Step(SearchRequest request)
    {
        TakeInArrived(request);
        while (true)
        {
            if (_candidates.Loaded > 0)
            {
                Expand(request, _candidates.First(CandidateState.Loaded));

                // One new read for each expansion: every choice of what to read next then knows the newest links.
                if (request.Mode == SearchMode.Pipelined)
                    Submit(request, 1);
            }
            else
            {
                Submit(request, int.MaxValue);
            }

            if (_error is not null)
                return true;
            TakeInArrived(request);
            if (_candidates.Loaded > 0)
                continue;

            // Reads whose candidates have all been displaced cannot change what is visited: the query does not wait for them.
            if (_candidates.Unvisited == 0)
                return _candidates.Submitted == 0;
            if (_inFlight + _landedCount >= request.BeamWidth || IsStarved)
                return false;
        }
    }

    /// <summary>Phase 1: exact distances of all vectors of the pages that have arrived.</summary>
    private void TakeInArrived(SearchRequest request)
    {
        for (int i = 0; i < _arrivedCount; i++)
        {
            uint number = _arrived[i];
            _pages.TryGet(number, out byte* bytes);
            long from = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
            var page = new NodePage(bytes, _index.Layout);
            int count = page.Count;
            Span<float> distances = _pageDistances.AsSpan(0, count);
            _exact.ComputeStrided(page.FirstVector, _index.Layout.SlotBytes, count, distances);
            _exactDistances += count;
            for (int slot = 0; slot < count; slot++)
            {
                if (distances[slot] <= _results.Threshold && page.State(slot) == NodeState.Live)
                    _results.Insert(distances[slot], page.Key(slot));
            }

            uint nodesPerPage = (uint)_index.Layout.NodesPerPage;
            _candidates.SetPageState(number * nodesPerPage, nodesPerPage, CandidateState.Loaded);
            request.Trace?.Add(SearchTraceKind.TakeIn, from, Stopwatch.GetTimestamp(), number, count: count);
        }

        _arrivedCount = 0;
    }

    /// <summary>Phase 2a: follows the links of a node whose page is here.</summary>
    private void Expand(SearchRequest request, int rank)
    {
        long from = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
        uint id = _candidates.Id(rank);
        _candidates.SetState(rank, CandidateState.Visited);
        _hops++;
        uint nodesPerPage = (uint)_index.Layout.NodesPerPage;
        uint number = id / nodesPerPage;
        _pages.TryGet(number, out byte* bytes);
        var page = new NodePage(bytes, _index.Layout);
        int slot = (int)(id - number * nodesPerPage);
        if (slot >= page.Count)
        {
            _error = new IndexCorruptException(_index.NodePath, number + 1L, $"expected a node in slot {slot}, found {page.Count} slots in use");
            return;
        }

        int fresh = 0;
        uint limit = _index.NodeCount;
        foreach (uint link in page.Links(slot))
        {
            if (link >= limit)
            {
                _error = new IndexCorruptException(_index.NodePath, number + 1L, $"expected links below {limit} in slot {slot}, found {link}");
                return;
            }

            if (_seen.Add(link))
                _batchIds[fresh++] = link;
        }

        Offer(fresh);
        if (request.Trace is { } trace)
        {
            _exact.ComputeStrided(page.FirstVector + (nint)slot * _index.Layout.SlotBytes, _index.Layout.SlotBytes, 1, _pageDistances);
            trace.Add(SearchTraceKind.Expand, from, Stopwatch.GetTimestamp(), number, id, _pageDistances[0], fresh);
        }
    }

    /// <summary>Scores the first ids of the batch by their codes and offers them to the candidate pool.</summary>
    private void Offer(int count)
    {
        _codes.Distances(_index.Codes.Pointer, _batchIds.AsSpan(0, count), _batchDistances);
        _codeDistances += count;
        uint nodesPerPage = (uint)_index.Layout.NodesPerPage;
        for (int i = 0; i < count; i++)
        {
            float distance = _batchDistances[i];
            if (distance > _candidates.Threshold)
                continue;
            CandidateState state = CandidateState.Unvisited;
            if (_pages.TryGet(_batchIds[i] / nodesPerPage, out byte* bytes))
                state = bytes is null ? CandidateState.Submitted : CandidateState.Loaded;
            _candidates.Insert(distance, _batchIds[i], state);
        }
    }

    private void End(SearchRequest request, long now)
    {
        // Reads still in flight carry the old ticket and are dropped when they land.
        _ticket++;
        _request = null;
        if (_error is not null)
        {
            request.Fail(_error);
            return;
        }

        double tickUs = 1_000_000.0 / Stopwatch.Frequency;
        request.Trace?.Add(SearchTraceKind.Done, now, now, count: _results.Count);
        request.Answer(_results, _index.Schema.Metric, new SearchStatistics
        {
            Hits = _results.Count,
            Reads = _reads,
            BytesRead = (long)_reads * _index.Layout.PageSize,
            Hops = _hops,
            CacheHits = _cacheHits,
            CodeDistances = _codeDistances,
            ExactDistances = _exactDistances,
            ElapsedUs = (now - request.AcceptedAt) * tickUs,
            QueueUs = (_startedAt - request.AcceptedAt) * tickUs,
            CpuUs = _cpuTicks * tickUs,
        });
    }
}

using System.Diagnostics;
using VectorPipe.Numerics;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Policies;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <summary>One query slot of a session: the walk over the graph as a state machine that never blocks.</summary>
/// <remarks>
/// <para>One loop serves both modes and both layouts, in three phases: take in the pages that have arrived (exact distances of all their vectors into the
/// result pool); follow links that are here and issue reads up to the width left over; give the thread back when nothing
/// is left to do without a read. What is worth a read, and when to stop, is a policy's to say. Beam search is the same loop with a barrier: it is entered only when no
/// read is in flight, or to issue the rest of a beam for which there were not enough ops; what has landed of that beam is taken in behind the barrier. So a beam answers the
/// same whatever else its session does.</para>
/// <para>The page is the unit: a page that arrives is kept for the query, so a candidate whose page is here is expanded without a read.
/// Every vector seen counts for the answer in both modes, so a comparison between them compares pipelining alone.</para>
/// <para>The pools are decoupled where they can be: in the plain layout, with a policy that does not look at results, exact distances are computed only when the next reads are on their way. In the merged
/// layout they cannot: the exact distance of a node says whether its links are followed.</para>
/// <para>Only the run thread touches it. All scratch is kept from query to query; a query allocates nothing once its slot has grown.</para>
/// </remarks>
internal sealed unsafe partial class QueryState : QuerySlot, IPendingIoOwner
{
    private readonly SearchIndex _index;
    private readonly NodeLayout _layout;
    private readonly uint _nodesPerPage;
    private readonly PendingIoSession _session;
    private readonly QueryDistance _exact;
    private readonly CodeDistanceTable _codes;
    private readonly Frontier _frontier;
    private readonly CandidatePool _candidates;
    private readonly ResultPool _results;
    private readonly SearchPolicies _policies = new();
    private readonly RecentResults? _recent;
    private readonly SeenSet _seen = new();
    private readonly KnownDistances _known = new();
    private readonly PageTable _pages = new();
    private readonly PageArena _arena;
    private readonly uint[] _arrived;
    private readonly uint[] _chosen;
    private readonly uint[] _walked = new uint[PagesWalkedTogether];
    private readonly (uint Page, nint Bytes)[] _landed;
    private readonly (uint Page, nint Bytes)[] _owed;
    private readonly float[] _queryComponents;
    private readonly float[] _pageDistances;
    private readonly uint[] _batchIds;
    private readonly float[] _batchDistances;
    private readonly ulong[] _batchKeys;
    private readonly CandidateState[] _batchStates;
    private SearchRequest? _request;
    private Exception? _error;
    private long _ticket;
    private int _arrivedCount;
    private int _landedCount;
    private int _owedCount;
    private bool _isLate;
    private int _inFlight;
    private int _chosenCount;
    private int _askedCount;
    private bool _isRoundCounted;
    private long _startedAt;
    private long _cpuTicks;
    private long _waitingSince;
    private int _reads;
    private int _rounds;
    private int _hops;
    private int _cacheHits;
    private int _codeDistances;
    private int _exactDistances;

    /// <param name="index">What is searched.</param>
    /// <param name="session">The reads of the thread.</param>
    /// <param name="recent">Where the latest queries ended; null where queries of several callers meet.</param>
    public QueryState(SearchIndex index, PendingIoSession session, RecentResults? recent)
    {
        _recent = recent;
        _index = index;
        _layout = index.Layout;
        _nodesPerPage = (uint)_layout.NodesPerPage;
        _session = session;
        _exact = QueryDistance.Create(index.Schema.Metric, _layout.ElementType, _layout.Dimension, index.Schema.ElementType);
        _codes = new CodeDistanceTable(_layout.Dimension, index.Schema.CodeBytes, index.Quantizer.FactorBytes);
        _frontier = new Frontier(_layout.NodesPerPage);
        _candidates = _frontier.Candidates;
        _results = _frontier.Results;
        _arena = new PageArena(_layout.PageSize);

        // A beam may be wider than its session, which then issues it in parts.
        _arrived = new uint[Math.Max(session.Capacity, SearchOptions.MaxBeamWidth)];
        _chosen = new uint[SearchOptions.MaxBeamWidth];
        _landed = new (uint, nint)[SearchOptions.MaxBeamWidth];
        _owed = new (uint, nint)[SearchOptions.MaxBeamWidth];
        _queryComponents = new float[_layout.Dimension];
        _pageDistances = new float[_layout.VectorsPerPage];
        _batchIds = new uint[BatchSize(_layout)];
        _batchDistances = new float[_batchIds.Length];
        _batchKeys = new ulong[_batchIds.Length];
        _batchStates = new CandidateState[_batchIds.Length];
    }

    /// <inheritdoc/>
    public override bool IsActive => _request is not null;

    /// <inheritdoc/>
    public override bool IsCancelled => _request is { CancellationToken.IsCancellationRequested: true };

    /// <summary>Whether a read could not be issued because no op was free.</summary>
    public bool IsStarved { get; private set; }

    /// <inheritdoc/>
    public override bool CanAdvance => _arrivedCount > 0 || (_landedCount > 0 && _inFlight == 0) || _error is not null || (IsStarved && _session.Free > 0);

    /// <inheritdoc/>
    public override void Start(SearchRequest request)
    {
        Debug.Assert(_request is null, "one query a slot");
        _request = request;
        _error = null;
        _startedAt = Stopwatch.GetTimestamp();
        _arrivedCount = _landedCount = _owedCount = _inFlight = _chosenCount = _askedCount = _reads = _rounds = _hops = _cacheHits = _codeDistances = _exactDistances = 0;
        _cpuTicks = _waitingSince = 0;
        IsStarved = false;
        request.Trace?.Begin(request.AcceptedAt);

        _exact.SetQuery(request.Query);
        _index.ToCodeSpace(request.Query, _queryComponents);
        _codes.SetQuery(_index.Quantizer, _index.Schema.Metric, _queryComponents);
        SearchPlan plan = request.Plan;
        _frontier.Reset(request.K, plan.ListSize, _index.ModelFor(_queryComponents), plan.EntersAtRecentResults);
        _policies.Begin(plan);
        _isLate = !_layout.IsMerged && (plan.ResultsLate ?? !_policies.Pages.NeedsResults);
        Reserve(plan.ListSize);
        _seen.Clear();
        _known.Clear();
        _pages.Clear();
        _arena.Clear();
        Enter(plan);
        _cpuTicks += Stopwatch.GetTimestamp() - _startedAt;
    }

    /// <inheritdoc/>
    public override bool Advance()
    {
        Debug.Assert(_request is not null, "only an active query is advanced");
        SearchRequest request = _request;
        bool wasStarved = IsStarved;
        IsStarved = false;
        if (_error is null && request.CancellationToken.IsCancellationRequested)
            _error = new OperationCanceledException(request.CancellationToken);
        if (_error is null && request.Plan.Mode == SearchMode.Beam && !wasStarved)
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
        if (ended && _error is null)
            ScoreOwed(request);
        long to = Stopwatch.GetTimestamp();
        _cpuTicks += to - from;
        if (ended)
            End(request, to);
        else if (request.Trace is not null)
            _waitingSince = to;
        return ended;
    }

    /// <inheritdoc/>
    public override bool Owes => _owedCount > 0;

    /// <inheritdoc/>
    public override void Settle()
    {
        if (_owedCount == 0 || _request is not { } request)
            return;
        long from = Stopwatch.GetTimestamp();
        ScoreOwed(request);
        _cpuTicks += Stopwatch.GetTimestamp() - from;
    }

    /// <inheritdoc/>
    public override void Abort(Exception error)
    {
        if (_request is not { } request)
            return;
        _error = error;
        End(request, Stopwatch.GetTimestamp());
    }

    /// <inheritdoc/>
    public override void Dispose() => _arena.Dispose();

    private bool Step(SearchRequest request)
    {
        TakeInArrived(request);
        while (true)
        {
            bool isOver = false, isAsked = false;
            if (_candidates.Loaded > 0)
            {
                Expand(request, _candidates.First(CandidateState.Loaded));

                // One new read for each expansion: every choice of what to read next then knows the newest links.
                if (request.Plan.Mode == SearchMode.Pipelined)
                    Submit(1);
            }
            else
            {
                isOver = Submit(int.MaxValue);
                isAsked = true;
            }

            if (_error is not null)
                return true;
            if (_arrivedCount > 0)
            {
                TakeInArrived(request);
                continue;
            }

            if (!isAsked)
                continue;

            // Reads whose candidates have all been displaced cannot change what is visited: the query does not wait for them.
            if (isOver && _candidates.Submitted == 0)
                return true;
            if (_inFlight > 0 || _landedCount == 0 || IsStarved)
                return false;

            // All of a beam was in the cache: there is nothing to wait for behind its barrier.
            PassBarrier();
            TakeInArrived(request);
        }
    }

    private void Show(ICandidateProbe probe)
    {
        float squaredNorm = SearchIndex.SquaredNorm(_queryComponents);
        Span<float> exact = stackalloc float[1];
        for (int rank = 0; rank < Math.Min(probe.Wanted, _candidates.Count); rank++)
        {
            uint id = _candidates.Id(rank);
            if (_pages.Get(id / _nodesPerPage, out byte* bytes) != PageState.Here)
                continue;
            _exact.ComputeStrided(new NodePage(bytes, _layout).FirstVector + (nint)(id % _nodesPerPage) * _layout.VectorStride, _layout.VectorStride, 1, exact);
            probe.Add(_candidates.Distance(rank), exact[0], squaredNorm);
        }
    }

    private void End(SearchRequest request, long now)
    {
        // Reads still in flight carry the old ticket and are dropped when they land.
        _ticket++;
        _request = null;
        _owedCount = 0;
        if (_error is not null)
        {
            request.Fail(_error);
            return;
        }

        if (request.Plan.EntersAtRecentResults)
            _recent?.Note(_results);
        if (request.Plan.Probe is { } probe)
            Show(probe);
        double tickUs = 1_000_000.0 / Stopwatch.Frequency;
        request.Trace?.Add(SearchTraceKind.Done, now, now, count: _results.Count);
        request.Answer(_results, _index.Schema.Metric, new SearchStatistics
        {
            Hits = _results.Count,
            Reads = _reads,
            PagesRead = _reads,
            BytesRead = (long)_reads * _layout.PageSize,
            Rounds = _rounds,
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

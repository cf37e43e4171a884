using System.Diagnostics;
using VectorPipe.Model.Search;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Graph;

/// <summary>The query slot of a graph: the walk as a state machine that never blocks.</summary>
/// <remarks>
/// <para>One loop serves both modes and both layouts, in three phases: take in the pages that have arrived; follow links that are here and
/// issue reads up to the width left over; give the thread back when nothing is left to do without a read. A policy says which page is
/// worth a read, and when to stop. The intake says what a page of the layout offers. A beam is the same loop with a barrier: a query
/// enters it only when no read is in flight, or to issue the rest of a beam for which there were not enough ops. So a beam answers the
/// same whatever else its session does.</para>
/// <para>A page that arrives is kept for the query, so a candidate whose page is here is expanded without a read. Every vector seen counts
/// for the answer in both modes. A query that finds its pages in memory yields after a share of work, so that its neighbours have their
/// turn.</para>
/// <para>Scratch stays from query to query, up to a bound; a query allocates nothing once its slot has grown.</para>
/// </remarks>
internal sealed unsafe partial class GraphQuery : QuerySlot, IPendingIoOwner
{
    /// <summary>Most expansions that memory is reserved for: a longer list grows as it needs.</summary>
    private const int MostReserved = 1024;

    // Pages and choices of pages in a turn: a search with default options never needs as many. A choice looks at all candidates and
    // results, so it counts for more where they are many.
    private const int WorkPerTurn = 96;
    private const int EntriesPerWork = 512;

    private readonly GraphIndex _index;
    private readonly NodeLayout _layout;
    private readonly PendingIoSession _session;
    private readonly Frontier _frontier;
    private readonly CandidatePool _candidates;
    private readonly PageLedger _pages;
    private readonly CandidateScorer _scorer;
    private readonly PageIntake _intake;
    private readonly float[] _queryComponents;
    private GraphPlan? _plan;
    private GraphChanges? _changes;
    private KeptPages? _kept;
    private int _work;
    private int _workOfChoice;
    private long _waitingSince;

    public GraphQuery(GraphIndex index, PendingIoSession session)
        : base(index.Schema.Metric)
    {
        _index = index;
        _layout = index.Layout;
        _nodesPerPage = (uint)_layout.NodesPerPage;
        _session = session;
        _frontier = new Frontier(_layout.NodesPerPage);
        _candidates = _frontier.Candidates;

        // A beam may be wider than its session, which then issues it in parts.
        _pages = new PageLedger(_layout.PageSize, Math.Max(session.Capacity, GraphSearch.MaxBeamWidth));
        _scorer = new CandidateScorer(index, _frontier, _pages);
        _intake = PageIntake.Create(index, _pages, _frontier, _scorer);
        _queryComponents = new float[_layout.Dimension];
        (_pagePolicy, _widthPolicy) = (_exhaustive, _fixedWidth);
    }

    public override bool CanAdvance =>
        HasYielded || _pages.HasArrived || (_pages.Landed > 0 && _inFlight == 0) || Error is not null || (_isStarved && _session.Free > 0);

    public override bool Owes => _intake.Owes;

    protected override ResultPool Results => _frontier.Results;

    public override void Settle()
    {
        if (!_intake.Owes || !IsActive)
            return;
        long from = Stopwatch.GetTimestamp();
        _intake.Settle();
        CountWork(from);
    }

    public override void Dispose() => _pages.Dispose();

    protected override void Begin(SearchRequest request)
    {
        _index.AtWork.Begin();
        var plan = (GraphPlan)request.Plan;
        _plan = plan;
        _changes = plan.Tuning?.Changes ?? request.Changes;
        _kept = request.Kept;
        _waitingSince = 0;
        BeginReads();
        _index.ToCodeSpace(request.Query, _queryComponents);
        MatchSet? matches = request.Admission.Matches;
        _scorer.Begin(_queryComponents, _changes, plan.Tuning?.WalkWidth ?? _index.Effort.WalkWidth);
        int poolSize = matches is null ? plan.PoolSize : _scorer.PoolFor(matches, plan.PoolSize);
        _frontier.Reset(plan.K, poolSize, _index.ModelFor(_queryComponents), plan.Tuning?.Entries is not null, plan.Bound);
        if (plan.GrowsPool)
            _scorer.GrowPool(plan.Threshold!.Value, (int)Math.Min(poolSize, (long)plan.K * poolSize / plan.PoolSize));
        BeginPolicies(plan);
        if (plan.Trace is { } trace)
            ShowChoices(trace, plan, poolSize);
        _workOfChoice = 1 + ((plan.PoolSize + plan.K) / EntriesPerWork);

        // Free the last query's memory before reserving for this one.
        _pages.Begin(plan.IsBeam);
        _intake.Begin(request.Query, plan, _changes, _pagePolicy.NeedsResults);

        // A search for the place of a new vector ends after some reads, and its slot with a checkpoint: it grows as it needs.
        if (plan.Tuning?.Neighbours is null)
            Reserve(plan.PoolSize);
        _walksOn = matches is null && !plan.IsBeam && _pagePolicy.NeedsResults;
        if (matches is null)
            _scorer.Enter(plan.Tuning?.Entries, _walksOn ? EarlyWalk : int.MaxValue);
        else
            _scorer.EnterMatches(matches, plan);
    }

    private void Reserve(int poolSize)
    {
        // Candidates that were expanded and then displaced come on top of the list.
        int expansions = Math.Min(poolSize + (poolSize / 4) + 32, MostReserved);
        int pages = (int)Math.Min(expansions, _changes?.Pages ?? _layout.PageCount(_index.Schema.Count));
        _pages.Reserve(pages);
        _intake.Reserve(expansions, pages);
    }

    private static void ShowChoices(SearchTrace trace, GraphPlan plan, int poolSize)
    {
        if (plan.Threshold is { } threshold)
            trace.Chose("threshold", threshold);
        else
            trace.Chose("list_size", plan.PoolSize);
        trace.Chose("candidates", poolSize);
        trace.Chose("beam_width", plan.BeamWidth);
    }

    protected override bool MustStep()
    {
        bool wasInterrupted = _isStarved || HasYielded;
        _isStarved = false;
        if (Error is not null || !_plan!.IsBeam || wasInterrupted)
            return true;
        if (_inFlight > 0)
            return false;
        PassBarrier();
        return true;
    }

    protected override bool Step(SearchRequest request)
    {
        if (_waitingSince != 0)
            request.Trace?.Add(SearchTraceKind.Wait, _waitingSince, Stopwatch.GetTimestamp(), count: _inFlight);
        _work = WorkPerTurn;
        if (!Walk())
        {
            _waitingSince = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
            return false;
        }

        if (Error is null)
            _intake.Settle();
        return true;
    }

    protected override SearchStatistics Count()
    {
        Results.Sort();
        _plan!.Tuning?.Entries?.Note(Results);
        if (_plan.Tuning?.Probe is { } probe)
            _intake.Show(probe, SearchIndex.SquaredNorm(_queryComponents));
        if (_plan.Tuning?.Neighbours is { } sink)
            _intake.Show(sink, Request!.Row);
        return new SearchStatistics
        {
            Reads = _reads,
            PagesRead = _reads,
            BytesRead = (long)_reads * _layout.PageSize,
            Rounds = _rounds,
            Hops = _intake.Hops,
            CacheHits = _cacheHits,
            CodeDistances = _scorer.Computed,
            Strategy = _scorer.Strategy,
            ExactDistances = _intake.Computed,
        };
    }

    // Reads still in flight carry the old ticket and are dropped when they land.
    protected override void Release()
    {
        _index.AtWork.End();
        _ticket++;
        _changes = null;
        _kept = null;
        _scorer.End();
        _intake.End();
    }

    private bool Walk()
    {
        TakeInArrived();
        if (_walksOn)
            WalkOn();
        while (true)
        {
            bool isOver = false, isAsked = false;
            if (_candidates.Loaded > 0)
            {
                _work--;
                _intake.Expand(_candidates.First(CandidateState.Loaded));
                Error ??= _intake.Defect;

                // One new read for each expansion: every choice of a page to read then knows the newest links.
                if (!_plan!.IsBeam)
                    Submit(1);
            }
            else
            {
                isOver = Submit(int.MaxValue);
                isAsked = true;
            }

            if (Error is not null)
                return true;
            bool hasArrived = _pages.HasArrived;
            TakeInArrived();
            if (Error is not null)
                return true;
            if (hasArrived || !isAsked)
            {
                if (_work <= 0)
                    return Yield();
                continue;
            }

            // Reads whose candidates have all been displaced cannot change what is visited: the query does not wait for them.
            if (isOver && _candidates.Submitted == 0)
                return true;
            if (_inFlight > 0 || _pages.Landed == 0 || _isStarved)
                return false;

            // All of a beam was in the cache: there is nothing to wait for behind its barrier.
            PassBarrier();
            TakeInArrived();
            if (_work <= 0)
                return Yield();
        }
    }

    private bool Yield()
    {
        HasYielded = true;
        return false;
    }

    // Phase 1: take in the pages that have arrived.
    private void TakeInArrived()
    {
        if (!_pages.HasArrived)
            return;
        _work -= _pages.Arrived.Length;
        _intake.TakeIn();
        _pages.NoteTaken();
        Error ??= _intake.Defect;
    }
}

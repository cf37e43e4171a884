using System.Diagnostics;
using VectorPipe.Model.Search;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Graph;

/// <summary>One query slot of a session: the walk over the graph as a state machine that never blocks.</summary>
/// <remarks>
/// <para>One loop serves both modes and both layouts, in three phases: take in the pages that have arrived; follow links that are here and
/// issue
/// reads up to the width left over; give the thread back when nothing is left to do without a read. A policy says which page is worth a
/// read, and
/// when to stop. The intake says what a page of the layout offers. Beam search is the same loop with a barrier: it is entered only when no
/// read is
/// in flight, or to issue the rest of a beam for which there were not enough ops. So a beam answers the same whatever else its session
/// does.</para>
/// <para>A page that arrives is kept for the query, so a candidate whose page is here is expanded without a read. Every vector seen counts
/// for
/// the answer in both modes. A query that finds its pages in memory yields after a share of work, so that its neighbours have their
/// turn.</para>
/// <para>Only the run thread touches it. Scratch is kept from query to query, up to a bound; a query allocates nothing once its slot has
/// grown.</para>
/// </remarks>
internal sealed unsafe partial class QueryState : QuerySlot, IPendingIoOwner
{
    /// <summary>Most expansions that memory is reserved for: a longer list grows as it needs.</summary>
    private const int MostReserved = 1024;

    // Pages and choices of pages in a turn: a search of the default options never needs as many. A choice looks at all candidates and
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
    private readonly SearchPolicies _policies = new();
    private readonly float[] _queryComponents;
    private SearchRequest? _request;
    private GraphPlan? _plan;
    private Exception? _error;
    private bool _hasYielded;
    private int _work;
    private int _workOfChoice;
    private long _startedAt;
    private long _cpuTicks;
    private long _waitingSince;

    /// <param name="index">What is searched.</param>
    /// <param name="session">The reads of the thread.</param>
    public QueryState(GraphIndex index, PendingIoSession session)
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
    }

    /// <inheritdoc/>
    public override bool IsActive => _request is not null;

    /// <inheritdoc/>
    public override bool IsCancelled => _request is { CancellationToken.IsCancellationRequested: true };

    /// <inheritdoc/>
    public override bool HasYielded => _hasYielded;

    /// <inheritdoc/>
    public override bool CanAdvance =>
        _hasYielded || _pages.HasArrived || (_pages.Landed > 0 && _inFlight == 0) || _error is not null || (IsStarved && _session.Free > 0);

    /// <inheritdoc/>
    public override bool Owes => _intake.Owes;

    /// <inheritdoc/>
    public override void Start(SearchRequest request)
    {
        Debug.Assert(_request is null, "one query a slot");
        _request = request;
        _plan = (GraphPlan)request.Plan;
        _error = null;
        _hasYielded = false;
        _startedAt = Stopwatch.GetTimestamp();
        _cpuTicks = _waitingSince = 0;
        BeginReads();
        request.Trace?.Begin(request.AcceptedAt);
        try
        {
            Begin(request, _plan);
        }
        catch (OutOfMemoryException e)
        {
            _error = e;
        }

        _cpuTicks += Stopwatch.GetTimestamp() - _startedAt;
    }

    /// <inheritdoc/>
    public override bool Advance()
    {
        Debug.Assert(_request is not null && _plan is not null, "only an active query is advanced");
        SearchRequest request = _request;
        bool wasInterrupted = IsStarved || _hasYielded;
        IsStarved = _hasYielded = false;
        if (_error is null && request.CancellationToken.IsCancellationRequested)
            _error = new OperationCanceledException(request.CancellationToken);
        if (_error is null && _plan.IsBeam && !wasInterrupted)
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

        bool ended = _error is not null || TryStep();
        if (ended && _error is null)
            _intake.Settle();
        long to = Stopwatch.GetTimestamp();
        _cpuTicks += to - from;
        if (ended)
            End(request, to);
        else if (request.Trace is not null)
            _waitingSince = to;
        return ended;
    }

    /// <inheritdoc/>
    public override void Settle()
    {
        if (!_intake.Owes || _request is null)
            return;
        long from = Stopwatch.GetTimestamp();
        _intake.Settle();
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
    public override void Dispose() => _pages.Dispose();

    private void Begin(SearchRequest request, GraphPlan plan)
    {
        _index.ToCodeSpace(request.Query, _queryComponents);
        _frontier.Reset(plan.K, plan.PoolSize, _index.ModelFor(_queryComponents), plan.Tuning?.Entries is not null);
        _policies.Begin(plan, _frontier);
        _workOfChoice = 1 + ((plan.PoolSize + plan.K) / EntriesPerWork);

        // What the last query left is given back before room is made for this one.
        _pages.Begin(plan.IsBeam);
        _scorer.Begin(_queryComponents);
        _intake.Begin(request.Query, plan, _policies.Pages.NeedsResults);

        // Candidates that were expanded and then displaced come on top of the list.
        int expansions = Math.Min(plan.PoolSize + (plan.PoolSize / 4) + 32, MostReserved);
        int pages = (int)Math.Min(expansions, _layout.PageCount(_index.Schema.Count));
        _pages.Reserve(pages);
        _intake.Reserve(expansions, pages);
        _scorer.Enter(plan.Tuning?.Entries);
    }

    // A query that finds no memory has failed; its neighbours have not.
    private bool TryStep()
    {
        try
        {
            return Step();
        }
        catch (OutOfMemoryException e)
        {
            _error = e;
            return true;
        }
    }

    private bool Step()
    {
        _work = WorkPerTurn;
        TakeInArrived();
        while (true)
        {
            bool isOver = false, isAsked = false;
            if (_candidates.Loaded > 0)
            {
                _work--;
                _intake.Expand(_candidates.First(CandidateState.Loaded));
                _error ??= _intake.Defect;

                // One new read for each expansion: every choice of a page to read then knows the newest links.
                if (!_plan!.IsBeam)
                    Submit(1);
            }
            else
            {
                isOver = Submit(int.MaxValue);
                isAsked = true;
            }

            if (_error is not null)
                return true;
            bool hasArrived = _pages.HasArrived;
            TakeInArrived();
            if (_error is not null)
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
            if (_inFlight > 0 || _pages.Landed == 0 || IsStarved)
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
        _hasYielded = true;
        return false;
    }

    // Phase 1: pages that have arrived.
    private void TakeInArrived()
    {
        if (!_pages.HasArrived)
            return;
        _work -= _pages.Arrived.Length;
        _intake.TakeIn();
        _pages.NoteTaken();
        _error ??= _intake.Defect;
    }

    private void End(SearchRequest request, long now)
    {
        // Reads still in flight carry the old ticket and are dropped when they land.
        _ticket++;
        _request = null;
        _hasYielded = false;
        if (_error is not null)
        {
            request.Fail(_error);
            return;
        }

        ResultPool results = _frontier.Results;
        results.Sort();
        _plan!.Tuning?.Entries?.Note(results);
        if (_plan.Tuning?.Probe is { } probe)
            _intake.Show(probe, SearchIndex.SquaredNorm(_queryComponents));
        double tickUs = 1_000_000.0 / Stopwatch.Frequency;
        request.Trace?.Add(SearchTraceKind.Done, now, now, count: results.Count);
        request.Answer(results, _index.Schema.Metric, new SearchStatistics
        {
            Hits = results.Count,
            Reads = _reads,
            PagesRead = _reads,
            BytesRead = (long)_reads * _layout.PageSize,
            Rounds = _rounds,
            Hops = _intake.Hops,
            CacheHits = _cacheHits,
            CodeDistances = _scorer.Computed,
            ExactDistances = _intake.Computed,
            ElapsedUs = (now - request.AcceptedAt) * tickUs,
            QueueUs = (_startedAt - request.AcceptedAt) * tickUs,
            CpuUs = _cpuTicks * tickUs,
        });
    }
}

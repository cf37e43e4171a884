using System.Diagnostics;

namespace VectorPipe.Searching.Serving;

/// <summary>The lanes of a run thread, and whose turn it is: tenants take turns, and within a tenant its lanes do.</summary>
/// <remarks>
/// An index without a tenant is one of its own. So a tenant with many busy indexes has as many turns, and beside others about as many
/// queries in flight, as one with a single busy index. Only the run thread touches it.
/// </remarks>
internal sealed class LaneTurns
{
    // Rings and buffers, up to 5 MiB for an index: so many are kept for the next request, and others wait beyond so many.
    private const int MostIdleRunners = 8;
    private const int MostRunners = 16;

    // For so long a runner serves before the lanes that wait for one: as long as some ten queries, far longer than it takes to make one.
    private const int ShareMs = 10;

    // Bounds how late a new query, a cancellation or a deadline is noticed behind a slow device.
    private static readonly TimeSpan _slice = TimeSpan.FromMilliseconds(1);

    // While it waits for reads of one index, those of others may land. The portable device rounds it up to a millisecond.
    private static readonly TimeSpan _sharedSlice = TimeSpan.FromMicroseconds(100);

    // Those that have lanes.
    private readonly List<TenantLanes> _tenants = [];
    private readonly List<SearchLane> _idle = [];
    private uint _turn;

    // Of one pass.
    private int _busy;
    private int _busyTenants;
    private int _runners;
    private int _runnersEach;
    private bool _isFull;
    private bool _isOwed;
    private bool _isCrowded;

    /// <summary>Adds a lane that was called, unless it is served already.</summary>
    public void Add(SearchLane lane)
    {
        if (lane.IsServed)
            return;
        lane.IsServed = true;
        if (lane.Tenant.Lanes.Length == 0)
            _tenants.Add(lane.Tenant);
        lane.Tenant.Add(lane);
    }

    /// <summary>One pass: a turn for each tenant.</summary>
    /// <returns>False if no lane has requests that can go on.</returns>
    public bool ServeAll()
    {
        Look();
        foreach (TenantLanes tenant in _tenants)
            ServeIdle(tenant);

        // Only one of several waits, or their waits would add up.
        uint turn = _busy > 1 ? _turn++ : 0;
        int waiting = _busyTenants > 1 ? (int)(turn % (uint)_busyTenants) : 0;
        foreach (TenantLanes tenant in _tenants)
        {
            if (tenant.Busy > 0)
                ServeBusy(tenant, waiting-- != 0 ? -1 : _busyTenants > 1 ? 0 : (int)(turn % (uint)_busy));
        }

        return Retire();
    }

    /// <summary>Milliseconds after which a lane needs a turn though nobody calls; infinite for none.</summary>
    public int RestMs()
    {
        int restMs = Timeout.Infinite;
        foreach (TenantLanes tenant in _tenants)
        {
            foreach (SearchLane lane in tenant.Lanes)
            {
                if (lane.RestMs is var ms and not Timeout.Infinite && (restMs == Timeout.Infinite || ms < restMs))
                    restMs = ms;
            }
        }

        return restMs;
    }

    /// <summary>Counts what each tenant has.</summary>
    private void Look()
    {
        int starved = 0, tenants = 0;
        _busy = _busyTenants = _runners = 0;
        foreach (TenantLanes tenant in _tenants)
        {
            tenant.Look();
            _busy += tenant.Busy;
            _busyTenants += tenant.Busy > 0 ? 1 : 0;
            _runners += tenant.Runners;
            tenants += tenant.Busy + tenant.Runners > 0 ? 1 : 0;
            starved += tenant.Starved;
        }

        _isFull = _runners + starved > MostRunners;
        _runnersEach = Math.Max(1, MostRunners / Math.Max(1, tenants));
        _isCrowded = tenants > MostRunners;
        _isOwed = false;
        for (int i = 0; _isFull && i < _tenants.Count; i++)
            _isOwed |= _tenants[i].Starved > 0 && _tenants[i].Runners < _runnersEach;
    }

    /// <summary>Looks after lanes that have nothing to go on with: reads of ended requests, cancellations, the end.</summary>
    private void ServeIdle(TenantLanes tenant)
    {
        if (tenant.Busy == tenant.Lanes.Length)
            return;
        foreach (SearchLane lane in tenant.Lanes)
        {
            if (!lane.IsBusy)
                Serve(lane, _busy == 0 ? _slice : TimeSpan.Zero);
        }
    }

    /// <summary>Gives a tenant its turn: to all its lanes if it is alone, else to as many as serve what one may have in flight.</summary>
    /// <param name="tenant">The tenant.</param>
    /// <param name="waiting">Number of the lane, in order of their turns, that may wait for reads; below 0 for none.</param>
    private void ServeBusy(TenantLanes tenant, int waiting)
    {
        int served = 0;
        for (int i = tenant.Lanes.Length; i > 0; i--)
        {
            SearchLane lane = tenant.Next();
            if (!lane.IsBusy)
                continue;
            Serve(lane, waiting-- != 0 ? TimeSpan.Zero : _busy == 1 ? _slice : _sharedSlice);
            served += lane.Served;
            if (_busyTenants > 1 && served >= lane.QueriesInFlight)
                return;
        }
    }

    private void Serve(SearchLane lane, TimeSpan wait)
    {
        TenantLanes tenant = lane.Tenant;
        bool hadRunner = lane.HasRunner, isOver = tenant.Runners > _runnersEach;
        int queries = lane.Queries;

        // Of a full thread each tenant has a part, if it needs it; what is left goes to any. Within its part a tenant's lanes take turns.
        bool mayOpen = _runners < MostRunners && (!_isOwed || tenant.Runners < _runnersEach);
        int? shareMs = !_isFull ? null : _isOwed && isOver ? 0 : isOver || _isCrowded || tenant.Starved > 0 ? ShareMs : null;
        lane.Serve(wait, mayOpen, shareMs, _busyTenants > 1 ? tenant.Queries - queries : 0);
        _runners += (lane.HasRunner ? 1 : 0) - (hadRunner ? 1 : 0);
        tenant.Note(lane, hadRunner, queries);
    }

    /// <summary>Forgets lanes that need nothing, and closes the runners that have been idle longest.</summary>
    /// <remarks>Other threads post requests meanwhile, so each lane is asked once whether it is idle. A request for one that is closed here
    /// calls it again.</remarks>
    /// <returns>False if no lane has requests that can go on.</returns>
    private bool Retire()
    {
        bool goesOn = false;
        for (int i = _tenants.Count - 1; i >= 0; i--)
        {
            TenantLanes tenant = _tenants[i];
            for (int j = tenant.Lanes.Length - 1; j >= 0; j--)
            {
                SearchLane lane = tenant.Lanes[j];
                goesOn |= lane.IsBusy;
                if (lane.IsDormant)
                    Remove(lane);
                else if (lane.IsIdle)
                    Idle(lane);
            }
        }

        while (_idle.Count > MostIdleRunners)
        {
            SearchLane oldest = _idle.MinBy(lane => lane.LastBusy)!;
            Close(oldest);
            _idle.Remove(oldest);
        }

        _idle.Clear();
        AssertInvariants();
        return goesOn;
    }

    private void Idle(SearchLane lane)
    {
        if (_isFull && (_isOwed || lane.Tenant.Starved > 0))
            Close(lane);
        else
            _idle.Add(lane);
    }

    private void Close(SearchLane lane)
    {
        lane.CloseIdle();
        Remove(lane);
    }

    private void Remove(SearchLane lane)
    {
        lane.IsServed = false;
        lane.Tenant.Remove(lane);
        if (lane.Tenant.Lanes.Length == 0)
            _tenants.Remove(lane.Tenant);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        int runners = 0;
        foreach (TenantLanes tenant in _tenants)
        {
            Debug.Assert(tenant.Lanes.Length > 0, "a tenant without lanes is forgotten");
            foreach (SearchLane lane in tenant.Lanes)
            {
                Debug.Assert(lane.IsServed && lane.Tenant == tenant, "each lane is served, with its tenant");
                runners += lane.HasRunner ? 1 : 0;
            }
        }

        Debug.Assert(runners <= MostRunners, "a thread has few runners");
    }
}

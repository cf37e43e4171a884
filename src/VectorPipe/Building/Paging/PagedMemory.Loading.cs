namespace VectorPipe.Building.Paging;

/// <content>Loading of blocks; reads run outside the lock.</content>
internal sealed partial class PagedMemory
{
    private static readonly TimeSpan _waitForOthers = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan _waitForReads = TimeSpan.FromMilliseconds(100);

    /// <summary>Loads the blocks that a lease asked for and that are not in memory.</summary>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    /// <exception cref="IndexWriteException">A block to be evicted could not be written.</exception>
    public void Load(PageLease lease)
    {
        while (lease.Missing.Count > 0)
        {
            bool isFull;
            try
            {
                lock (_gate)
                    isFull = Claim(lease);
            }
            finally
            {
                // Blocks claimed before an error, too, are read and handed over.
                lease.BeginReads();
            }

            if (lease.IsReading)
                Pump(lease, _waitForReads);
            else if (lease.Missing.Count > 0)
                Wait(lease, isFull);
        }
    }

    /// <summary>Begins to read the blocks that a lease hinted at, as far as there is room; does not wait.</summary>
    /// <exception cref="DeviceException">The device takes no reads.</exception>
    /// <exception cref="IndexWriteException">A block to be evicted could not be written.</exception>
    public void Prefetch(PageLease lease)
    {
        try
        {
            lock (_gate)
                ClaimHints(lease);
        }
        finally
        {
            lease.BeginReads();
        }
    }

    /// <summary>Hands over the blocks that a lease has read.</summary>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    public void Pump(PageLease lease, TimeSpan wait)
    {
        try
        {
            lease.Pump(wait);
        }
        finally
        {
            if (lease.Arrived.Count + lease.Failed.Count > 0)
            {
                lock (_gate)
                    Settle(lease);
            }
        }

        lease.ThrowIfFailed();
    }

    /// <summary>Releases the blocks whose reads a lease gave up.</summary>
    public void GiveUp(PageLease lease)
    {
        lock (_gate)
            Settle(lease);
    }

    // Holds missing blocks or claims them for reading; a block that another lease reads stays missing. Returns whether room was lacking.
    private bool Claim(PageLease lease)
    {
        List<(PagedRegion Region, int Block)> missing = lease.Missing;
        int kept = 0;
        bool isFull = false;
        for (int i = 0; i < missing.Count; i++)
        {
            (PagedRegion region, int block) = missing[i];
            if (!TryTake(lease, region, block, ref isFull))
                missing[kept++] = missing[i];
        }

        missing.RemoveRange(kept, missing.Count - kept);
        AssertInvariants();
        return isFull;
    }

    // Returns whether the lease holds the block. If not, its read is in flight, or there is no room.
    private bool TryTake(PageLease lease, PagedRegion region, int block, ref bool isFull)
    {
        if (lease.TryHold(region, block))
            return true;
        long state = region.State(block);
        if (state == PagedRegion.Busy)
            return false;
        if (isFull || (_used >= _capacity && !TryEvict()))
        {
            isFull = true;
            return false;
        }

        region.Take(block);
        _used++;
        if (state == PagedRegion.Absent)
        {
            lease.Hold(region, block);
            _resident.Add(region, block, lease.Ticket);
            return true;
        }

        region.Change(block, PagedRegion.Busy);
        lease.Claim(region, block);
        return false;
    }

    // Hints use free room, or blocks that no lease holds or hinted at under as late a ticket: they never make another lease wait.
    private void ClaimHints(PageLease lease)
    {
        foreach ((PagedRegion region, int block) in lease.Hints)
        {
            if (region.State(block) != PagedRegion.OnDisk)
                continue;
            if (_used >= _capacity && !TryEvictBelow(Math.Min(LowestTicketInUse(), lease.Ticket - 1)))
                return;
            region.Take(block);
            _used++;
            region.Change(block, PagedRegion.Busy);
            lease.Claim(region, block);
        }

        AssertInvariants();
    }

    private void Wait(PageLease lease, bool isFull)
    {
        lock (_gate)
        {
            lease.WaitsForRoom = isFull;
            try
            {
                // Running leases end or begin again in time. If all wait for room, nothing changes any more: evict by what is held now.
                if (isFull && AllWaitForRoom())
                {
                    if (TryEvict())
                        return;
                    if (AllWaitForRoom())
                        throw NoRoom();
                }

                Monitor.Wait(_gate, _waitForOthers);
            }
            finally
            {
                lease.WaitsForRoom = false;
            }
        }
    }

    // A lease that does not wait itself is stuck if another lease of its thread waits.
    private bool AllWaitForRoom() =>
        _leases.TrueForAll(lease => !lease.IsRunning || _leases.Exists(other => other.WaitsForRoom && other.ThreadId == lease.ThreadId));

    private InvalidOperationException NoRoom() =>
        new($"{_capacity << _blockShift:N0} bytes of paged memory are less than {_leases.Count} workers hold at a time.");

    private void Settle(PageLease lease)
    {
        foreach ((PagedRegion region, int block) in lease.Arrived)
        {
            // A block that was only hinted at, or asked for before the lease began again, may be evicted at any time.
            bool isAsked = lease.IsRunning && lease.HasAsked(region, block);
            if (isAsked)
                lease.Hold(region, block);
            _resident.Add(region, block, isAsked ? lease.Ticket : Interlocked.Read(ref _lastTicket) - 1);
        }

        foreach ((PagedRegion region, int block) in lease.Failed)
        {
            _leaving.Add((region, block, 1));
            _used--;
        }

        GiveBack();
        BytesRead += (long)lease.Arrived.Count << _blockShift;
        lease.Settled();
        AssertInvariants();
        Monitor.PulseAll(_gate);
    }
}

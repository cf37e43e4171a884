namespace VectorPipe.Building.Paging;

/// <content>How blocks come. What is read is read outside of the lock.</content>
internal sealed partial class PagedMemory
{
    private static readonly TimeSpan _waitForOthers = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan _waitForReads = TimeSpan.FromMilliseconds(100);

    /// <summary>Brings in what a lease asked for and is not in memory.</summary>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    /// <exception cref="IndexWriteException">A block that had to go could not be written.</exception>
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
                // Also what was claimed before an error: it is read and handed over like the rest.
                lease.BeginReads();
            }

            if (lease.IsReading)
                Pump(lease, _waitForReads);
            else if (lease.Missing.Count > 0)
                Wait(lease, isFull);
        }
    }

    /// <summary>Begins to read what a lease hinted at, as far as there is room; does not wait for it.</summary>
    /// <exception cref="DeviceException">The device takes no reads.</exception>
    /// <exception cref="IndexWriteException">A block that had to go could not be written.</exception>
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

    /// <summary>Hands over what a lease has read.</summary>
    /// <param name="lease">The lease.</param>
    /// <param name="wait">Longest time to wait for something to come.</param>
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

    /// <summary>Gives back what a lease had begun to read and never will.</summary>
    public void GiveUp(PageLease lease)
    {
        lock (_gate)
            Settle(lease);
    }

    // Takes what is missing and free to be taken; what is on its way stays missing until it is there. Returns whether there was no room for
    // something.
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

    // Whether the block is in memory and held now. If not, it is on its way, or there is no room.
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

    // Hints come while there is room, or blocks that nobody holds nor has hinted at under a ticket as late: they never make anyone wait.
    private void ClaimHints(PageLease lease)
    {
        foreach ((PagedRegion region, int block) in lease.Hints)
        {
            if (region.State(block) != PagedRegion.OnDisk)
                continue;
            if (_used >= _capacity && !TryEvictBelow(Math.Min(LowestTicketInUse(), lease.Ticket - 1)))
                return;
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
                // Others that run end or begin anew in time. If all wait for room nothing changes any more; then what is held now counts,
                // and not what was when this lease looked.
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

    // A thread may have several leases; those that do not wait themselves go on no sooner than the one that does.
    private bool AllWaitForRoom() =>
        _leases.TrueForAll(lease => !lease.IsRunning || _leases.Exists(other => other.WaitsForRoom && other.ThreadId == lease.ThreadId));

    private InvalidOperationException NoRoom() =>
        new($"{_capacity << BlockShift:N0} bytes of paged memory are less than what {_leases.Count} workers hold at a time.");

    private void Settle(PageLease lease)
    {
        foreach ((PagedRegion region, int block) in lease.Arrived)
        {
            // What was hinted at, or asked for before the lease began anew, may go at any time.
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
        BytesRead += (long)lease.Arrived.Count << BlockShift;
        lease.Settled();
        AssertInvariants();
        Monitor.PulseAll(_gate);
    }
}

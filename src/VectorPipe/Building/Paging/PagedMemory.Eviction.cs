namespace VectorPipe.Building.Paging;

/// <content>Which block goes, and how. All of it under the lock.</content>
internal sealed partial class PagedMemory
{
    // Changed neighbours of a block that goes are written with it, up to so many: tables are mostly written from front to back.
    private const int MaxRun = 256;

    /// <summary>Makes blocks the first to go that a lease has asked for and is done with, but for those that others hold.</summary>
    public void Retire(PageLease lease, PagedRegion region, int first, int last)
    {
        lock (_gate)
        {
            for (int block = first; block <= last; block++)
            {
                // As with a block that is taken away: first its state, then who holds it.
                long state = region.State(block);
                if (state is >= 0 and not PagedRegion.Held && !_leases.Exists(other => other != lease && other.Holds(region, block)))
                    region.TryChange(block, state, 0);
            }
        }
    }

    private void Remove(PagedRegion region, int block)
    {
        _resident.Remove(region, block);
        _used--;
    }

    private bool TryEvict()
    {
        long inUse = LowestTicketInUse();
        return TryEvictBelow(inUse) || TryEvictUnheld(inUse);
    }

    // The cheap way: what was asked for before all running leases began.
    private bool TryEvictBelow(long inUse)
    {
        for (int attempt = 0; attempt < 4; attempt++)
        {
            if (_resident.TryDraw(inUse, out PagedRegion? region, out int block, out long state) && TryEvict(region!, block, state, inUse))
                return true;
        }

        // Most is in use: look at every block once.
        for (int i = 0; i < _resident.Count; i++)
        {
            (PagedRegion region, int block) = _resident[i];
            long state = region.State(block);
            if (state < inUse && TryEvict(region, block, state, inUse))
                return true;
        }

        return false;
    }

    // The exact way: a lease that goes on for long keeps what it holds, not all that others have asked for since it began.
    private bool TryEvictUnheld(long inUse)
    {
        for (int attempt = 0; attempt < 4; attempt++)
        {
            if (_resident.TryDraw(PagedRegion.Held, out PagedRegion? region, out int block, out long state) && !IsHeld(region!, block) && TryEvict(region!, block, state, inUse))
                return true;
        }

        for (int i = 0; i < _resident.Count; i++)
        {
            (PagedRegion region, int block) = _resident[i];
            long state = region.State(block);
            if (state != PagedRegion.Held && !IsHeld(region, block) && TryEvict(region, block, state, inUse))
                return true;
        }

        return false;
    }

    private bool IsHeld(PagedRegion region, int block) => _leases.Exists(lease => lease.Holds(region, block));

    // A ticket that is taken after this number was read is above it; one that was taken before is seen in its lease.
    private long LowestTicketInUse()
    {
        long lowest = Interlocked.Read(ref _lastTicket) + 1;
        foreach (PageLease lease in _leases)
            lowest = Math.Min(lowest, lease.Ticket);
        return lowest;
    }

    private bool TryEvict(PagedRegion region, int block, long state, long inUse)
    {
        if (!region.TryChange(block, state, PagedRegion.Busy))
            return false;
        Evict(region, block, inUse);
        return true;
    }

    // The block is busy: nobody else can reach it.
    private void Evict(PagedRegion region, int block, long inUse)
    {
        int first = block;
        int end = block + 1;
        if (region.IsDirty(block))
        {
            while (first > 0 && end - first < MaxRun && TryJoin(region, first - 1, inUse))
                first--;
            while (end < region.BlockCount && end - first < MaxRun && TryJoin(region, end, inUse))
                end++;
            try
            {
                region.WriteOut(first, end - first);
            }
            catch
            {
                // They stay in memory, and changed: whoever wants them next tries again.
                for (int i = first; i < end; i++)
                    region.Change(i, 0);
                throw;
            }

            BytesWritten += (long)(end - first) << BlockShift;
        }

        for (int i = first; i < end; i++)
            Remove(region, i);
        region.GiveBack(first, end - first);
        for (int i = first; i < end; i++)
            region.Change(i, region.WasWritten(i) ? PagedRegion.OnDisk : PagedRegion.Absent);
    }

    private static bool TryJoin(PagedRegion region, int block, long inUse)
    {
        long state = region.State(block);
        return state >= 0 && state < inUse && region.IsDirty(block) && region.TryChange(block, state, PagedRegion.Busy);
    }
}

using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Paging;

/// <content>Eviction of blocks, all under the lock.</content>
internal sealed partial class PagedMemory
{
    // Changed neighbours of an evicted block are written with it, up to so many: tables are mostly written from front to back.
    private const int MaxRun = 256;

    // The largest share of all blocks that is evicted together.
    private const int LeastRounds = 64;

    /// <summary>Makes blocks that a lease is done with the first to be evicted, except those that others hold.</summary>
    public void Retire(PageLease lease, PagedRegion region, int first, int last)
    {
        lock (_gate)
        {
            for (int block = first; block <= last; block++)
            {
                // As in eviction, read the state before the holders.
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
        if (TryEvictBelow(inUse))
            return true;
        try
        {
            return TryEvictUnheld(inUse);
        }
        finally
        {
            GiveBack();
        }
    }

    // Evicts blocks older than all running leases, and more than the one needed, so that one call returns the memory of all.
    private bool TryEvictBelow(long inUse)
    {
        try
        {
            if (!TryEvictOneBelow(inUse))
                return false;
            for (long more = Math.Min(_capacity / LeastRounds, MemoryReturn.Capacity) - 1; more > 0; more--)
            {
                if (!_resident.TryDraw(inUse, out PagedRegion? region, out int block, out long state)
                    || !TryEvict(region!, block, state, inUse))
                    break;
            }

            return true;
        }
        finally
        {
            GiveBack();
        }
    }

    private bool TryEvictOneBelow(long inUse)
    {
        for (int attempt = 0; attempt < 4; attempt++)
        {
            if (_resident.TryDraw(inUse, out PagedRegion? region, out int block, out long state) && TryEvict(region!, block, state, inUse))
                return true;
        }

        // Most blocks are in use: look at every block once.
        for (int i = 0; i < _resident.Count; i++)
        {
            (PagedRegion region, int block) = _resident[i];
            long state = region.State(block);
            if (state < inUse && TryEvict(region, block, state, inUse))
                return true;
        }

        return false;
    }

    // The exact way: a lease that runs long keeps its held blocks only, not all blocks that others asked for since it began.
    private bool TryEvictUnheld(long inUse)
    {
        for (int attempt = 0; attempt < 4; attempt++)
        {
            if (_resident.TryDraw(PagedRegion.Held, out PagedRegion? region, out int block, out long state) && !IsHeld(region!, block)
                && TryEvict(region!, block, state, inUse))
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

    // A ticket taken after this read is above it; the lease shows one taken before.
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

    // No other thread can reach a busy block.
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
                // They stay in memory, still changed: the next eviction tries again.
                for (int i = first; i < end; i++)
                    region.Change(i, 0);
                throw;
            }

            BytesWritten += (long)(end - first) << _blockShift;
        }

        for (int i = first; i < end; i++)
            Remove(region, i);
        _leaving.Add((region, first, end - first));
    }

    // Returns the memory of leaving blocks, which are busy and on no list; from then on they are in their file alone.
    private unsafe void GiveBack()
    {
        foreach ((PagedRegion region, int first, int count) in _leaving)
        {
            _memoryReturn.Add(region.Address(first), (long)count << _blockShift);
            if (_memoryReturn.Count == MemoryReturn.Capacity)
                _memoryReturn.Flush();
        }

        _memoryReturn.Flush();
        foreach ((PagedRegion region, int first, int count) in _leaving)
        {
            for (int i = first; i < first + count; i++)
                region.Change(i, region.WasWritten(i) ? PagedRegion.OnDisk : PagedRegion.Absent);
        }

        _leaving.Clear();
    }

    private static bool TryJoin(PagedRegion region, int block, long inUse)
    {
        long state = region.State(block);
        return state >= 0 && state < inUse && region.IsDirty(block) && region.TryChange(block, state, PagedRegion.Busy);
    }
}

using System.Diagnostics;
using Microsoft.Extensions.Logging;
using VectorPipe.Devices;
using VectorPipe.Storage;

namespace VectorPipe.Building.Paging;

/// <summary>A bounded amount of memory for tables of any size: blocks come from scratch files when they are asked for, and those not asked for the longest go.</summary>
/// <remarks>
/// <para>A worker rents a <see cref="PageLease"/>; what it asks for stays until it begins anew. Tickets rise with every beginning, so blocks with a ticket
/// at or above the lowest of all running leases are in use, and none of the others is.</para>
/// <para>What is computed does not depend on what happens to be in memory: a budget changes the time that a build takes, never its outcome. Thread-safe.</para>
/// </remarks>
internal sealed class PagedMemory : IDisposable
{
    /// <summary>Bytes of a block: the unit that comes and goes.</summary>
    public const int BlockBytes = 1 << BlockShift;

    /// <summary>Bytes that are asked for together when a table is gone through from front to back.</summary>
    public const int BytesTogether = 1 << 18;

    private const int BlockShift = 12;

    // Of so many blocks drawn at random the one not asked for the longest goes: nearly the oldest of all, without a list that every access would have to reorder.
    private const int Draws = 12;

    // Changed neighbours of a block that goes are written with it, up to so many: tables are mostly written from front to back.
    private const int MaxRun = 256;

    private static readonly TimeSpan _waitForOthers = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan _waitForReads = TimeSpan.FromMilliseconds(100);

    private readonly object _gate = new();
    private readonly string _directory;
    private readonly Func<string, string> _fileName;
    private readonly List<PagedRegion> _regions = [];
    private readonly List<(PagedRegion Region, int Block)> _resident = [];
    private readonly List<PageLease> _leases = [];
    private long _lastTicket;
    private long _capacity;
    private long _used;
    private int _waiting;
    private ulong _random = 0x9E3779B97F4A7C15;

    /// <param name="directory">Where the scratch files are.</param>
    /// <param name="fileName">Name of the scratch file of a table's name.</param>
    /// <param name="device">What reads them.</param>
    /// <param name="io">What writes them.</param>
    /// <param name="logger">Told which device was chosen.</param>
    public PagedMemory(string directory, Func<string, string> fileName, DeviceOptions device, IStorageIo io, ILogger logger)
    {
        _directory = directory;
        _fileName = fileName;
        Device = device;
        Io = io;
        Logger = logger;
    }

    /// <summary>What reads the scratch files.</summary>
    public DeviceOptions Device { get; }

    /// <summary>What writes the scratch files.</summary>
    public IStorageIo Io { get; }

    /// <summary>Told which device was chosen.</summary>
    public ILogger Logger { get; }

    /// <summary>Bytes that were read from scratch files.</summary>
    public long BytesRead { get; private set; }

    /// <summary>Bytes that were written to scratch files.</summary>
    public long BytesWritten { get; private set; }

    /// <summary>Bytes of blocks in memory.</summary>
    public long ResidentBytes => Interlocked.Read(ref _used) << BlockShift;

    /// <summary>The block of a byte.</summary>
    public static int BlockOf(long offset) => (int)(offset >> BlockShift);

    /// <summary>Rows of so many bytes that are asked for together when a table is gone through from front to back: enough to be read in large pieces.</summary>
    public static int RowsTogether(long rowBytes) => (int)Math.Clamp(BytesTogether / rowBytes, 1, 1024);

    /// <summary>Blocks that a row of so many bytes may touch.</summary>
    public static long BlocksOf(long bytes) => (bytes + BlockBytes - 2) / BlockBytes + 1;

    /// <summary>States how much memory there is from now on; what is too much goes.</summary>
    /// <param name="bytes">More than all leases hold at a time.</param>
    public void SetCapacity(long bytes)
    {
        lock (_gate)
        {
            _capacity = Math.Max(1, bytes >> BlockShift);
            while (_used > _capacity && TryEvict())
            {
            }
        }
    }

    /// <summary>Makes a table of zeros.</summary>
    /// <param name="name">Names its file.</param>
    /// <param name="length">Bytes.</param>
    public PagedRegion Create(string name, long length)
    {
        var region = new PagedRegion(this, Path.Combine(_directory, _fileName(name)), length);
        lock (_gate)
            _regions.Add(region);
        return region;
    }

    /// <summary>Takes blocks that were never written into memory for good.</summary>
    public void Hold(PagedRegion region, int first, int last)
    {
        lock (_gate)
        {
            for (int block = first; block <= last; block++)
            {
                if (_used >= _capacity)
                    TryEvict();
                _used++;
                Enter(region, block, PagedRegion.Held);
            }
        }
    }

    /// <summary>Rents a lease for a thread.</summary>
    public PageLease Rent()
    {
        var lease = new PageLease(this);
        lock (_gate)
            _leases.Add(lease);
        return lease;
    }

    /// <summary>The next ticket.</summary>
    public long NextTicket() => Interlocked.Increment(ref _lastTicket);

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
                Wait(isFull);
        }
    }

    /// <summary>Begins to read blocks that a lease will ask for, as far as there is room.</summary>
    /// <param name="lease">The lease.</param>
    /// <param name="blocks">Blocks, none twice.</param>
    /// <exception cref="IndexWriteException">A block that had to go could not be written.</exception>
    public void Prefetch(PageLease lease, List<(PagedRegion Region, int Block)> blocks)
    {
        try
        {
            lock (_gate)
            {
                bool isFull = false;
                foreach ((PagedRegion region, int block) in blocks)
                {
                    if (!isFull && region.State(block) == PagedRegion.OnDisk)
                        TryTake(lease, region, block, ref isFull);
                }
            }
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
        lease.Pump(wait);
        if (lease.Arrived.Count > 0 || lease.Failed.Count > 0)
        {
            lock (_gate)
                Settle(lease);
        }

        // A lease that ends has nobody to tell: what failed is absent again.
        if (lease.IsRunning)
            lease.ThrowIfFailed();
    }

    /// <summary>Ends a lease.</summary>
    public void Return(PageLease lease)
    {
        lock (_gate)
            _leases.Remove(lease);
    }

    /// <summary>Drops a region's blocks without writing them.</summary>
    /// <returns>False if it was dropped before.</returns>
    public bool Forget(PagedRegion region)
    {
        lock (_gate)
        {
            if (!_regions.Remove(region))
                return false;
            for (int block = 0; block < region.BlockCount; block++)
            {
                if (region.State(block) >= 0)
                    Remove(region, block);
            }

            return true;
        }
    }

    /// <summary>Deletes a scratch file; one that cannot be deleted now goes with the next build, which finds it by its name.</summary>
    public void Delete(string path)
    {
        try
        {
            Io.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Diagnostics.BuildLog.LeftoversStay(Logger, e, path);
        }
    }

    /// <summary>Drops all regions that are left.</summary>
    public void Dispose()
    {
        PagedRegion[] regions;
        lock (_gate)
            regions = [.. _regions];
        foreach (PagedRegion region in regions)
            region.Dispose();
    }

    // Takes what is missing and free to be taken. What somebody else moves stays missing. Returns whether there was no room for something.
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
        return isFull;
    }

    // Whether the block is in memory now. If not, it is on its way, or there is no room.
    private bool TryTake(PageLease lease, PagedRegion region, int block, ref bool isFull)
    {
        while (true)
        {
            long state = region.State(block);
            if (state == PagedRegion.Busy)
                return false;
            if (state >= 0)
            {
                if (state >= lease.Ticket || region.TryChange(block, state, lease.Ticket))
                    return true;
                continue;
            }

            if (isFull || (_used >= _capacity && !TryEvict()))
            {
                isFull = true;
                return false;
            }

            _used++;
            if (state == PagedRegion.Absent)
            {
                Enter(region, block, lease.Ticket);
                return true;
            }

            region.Change(block, PagedRegion.Busy);
            lease.Claimed.Add((region, block));
            return false;
        }
    }

    // For others that move a block, or that run and begin anew or end in time. If all wait for room, none ever will.
    private void Wait(bool isFull)
    {
        lock (_gate)
        {
            _waiting += isFull ? 1 : 0;
            if (isFull && _waiting >= _leases.Count(lease => lease.IsRunning))
            {
                _waiting--;
                throw new InvalidOperationException($"{_capacity << BlockShift:N0} bytes of paged memory are less than what {_leases.Count} workers hold at a time.");
            }

            Monitor.Wait(_gate, _waitForOthers);
            _waiting -= isFull ? 1 : 0;
        }
    }

    private void Settle(PageLease lease)
    {
        // A lease that has ended holds nothing: what it had read ahead is the first to go.
        long ticket = lease.IsRunning ? lease.Ticket : 0;
        foreach ((PagedRegion region, int block) in lease.Arrived)
            Enter(region, block, ticket);
        foreach ((PagedRegion region, int block) in lease.Failed)
        {
            region.GiveBack(block, 1);
            region.Change(block, PagedRegion.OnDisk);
            _used--;
        }

        BytesRead += (long)lease.Arrived.Count << BlockShift;
        lease.Arrived.Clear();
        lease.Failed.Clear();
        Monitor.PulseAll(_gate);
    }

    private void Enter(PagedRegion region, int block, long ticket)
    {
        region.Slots[block] = _resident.Count;
        _resident.Add((region, block));
        region.Change(block, ticket);
    }

    private void Remove(PagedRegion region, int block)
    {
        int slot = region.Slots[block];
        Debug.Assert(_resident[slot] == (region, block), "the list of resident blocks and the slots agree");
        (PagedRegion lastRegion, int lastBlock) = _resident[^1];
        _resident[slot] = _resident[^1];
        lastRegion.Slots[lastBlock] = slot;
        _resident.RemoveAt(_resident.Count - 1);
        _used--;
    }

    private bool TryEvict()
    {
        long inUse = LowestTicketInUse();
        for (int attempt = 0; attempt < 4; attempt++)
        {
            if (TryDraw(inUse, out PagedRegion? region, out int block, out long state) && region!.TryChange(block, state, PagedRegion.Busy))
            {
                Evict(region, block, inUse);
                return true;
            }
        }

        // Most is in use: look at every block once.
        for (int i = 0; i < _resident.Count; i++)
        {
            (PagedRegion region, int block) = _resident[i];
            long state = region.State(block);
            if (state < inUse && region.TryChange(block, state, PagedRegion.Busy))
            {
                Evict(region, block, inUse);
                return true;
            }
        }

        return false;
    }

    // A ticket that is taken after this number was read is above it; one that was taken before is seen in its lease.
    private long LowestTicketInUse()
    {
        long lowest = Interlocked.Read(ref _lastTicket) + 1;
        foreach (PageLease lease in _leases)
            lowest = Math.Min(lowest, lease.Ticket);
        return lowest;
    }

    private bool TryDraw(long inUse, out PagedRegion? region, out int block, out long state)
    {
        (region, block, state) = (null, 0, inUse);
        for (int i = 0; i < Draws && _resident.Count > 0; i++)
        {
            _random ^= _random << 13;
            _random ^= _random >> 7;
            _random ^= _random << 17;
            (PagedRegion drawn, int drawnBlock) = _resident[(int)((uint)(_random >> 32) % (uint)_resident.Count)];
            long drawnState = drawn.State(drawnBlock);
            if (drawnState >= 0 && drawnState < state)
                (region, block, state) = (drawn, drawnBlock, drawnState);
        }

        return region is not null;
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

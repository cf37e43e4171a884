using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Storage;

namespace VectorPipe.Building.Paging;

/// <summary>A worker's hold on parts of paged tables: what it asks for since it last began stays in memory until it begins anew.</summary>
/// <remarks>For tables that are in memory whole every call returns at once. One thread's; returned by <see cref="Dispose"/> on that thread.</remarks>
internal sealed class PageLease : IDisposable
{
    private const long None = long.MaxValue;

    // Blocks that are worth fetching ahead for one worker.
    private const int MaxHints = 256;

    private readonly PagedMemory? _memory;
    private readonly List<BlockReader> _readers = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _noted = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _shared = [];
    private readonly HeldBlocks _held = new();
    private long _ticket = None;

    /// <param name="memory">Where tables are paged; null if all are in memory whole.</param>
    public PageLease(PagedMemory? memory)
    {
        _memory = memory;
    }

    /// <summary>The ticket of the blocks that this lease holds; above all others while it holds none.</summary>
    public long Ticket => Volatile.Read(ref _ticket);

    /// <summary>Whether it may hold blocks.</summary>
    public bool IsRunning => Ticket != None;

    /// <summary>Blocks that were asked for and were not in memory.</summary>
    public List<(PagedRegion Region, int Block)> Missing { get; } = [];

    /// <summary>Blocks that were hinted at and were not in memory.</summary>
    public List<(PagedRegion Region, int Block)> Hints { get; } = [];

    /// <summary>Blocks that this lease has taken upon itself to read.</summary>
    public List<BlockClaim> Claimed { get; } = [];

    /// <summary>The thread that began last; it waits for nothing else while one of its leases waits for room.</summary>
    public int ThreadId { get; private set; }

    /// <summary>Whether it waits for room; under the lock of the memory.</summary>
    public bool WaitsForRoom { get; set; }

    /// <summary>A lease for tables in memory, or one of a paged memory's.</summary>
    public static PageLease Rent(PagedMemory? memory) => memory?.Rent() ?? new PageLease(null);

    /// <summary>Lets go of everything and begins anew.</summary>
    public void Begin()
    {
        if (_memory is null)
            return;
        Forget();
        ThreadId = Environment.CurrentManagedThreadId;

        // From nothing by way of 0, so that a thread which looks for the lowest ticket while this one is being taken finds everything in use.
        if (_ticket == None)
            Interlocked.Exchange(ref _ticket, 0);
        Interlocked.Exchange(ref _ticket, _memory.NextTicket());
    }

    /// <summary>Lets go of everything.</summary>
    public void End()
    {
        Forget();
        Volatile.Write(ref _ticket, None);
    }

    /// <summary>Asks for bytes of a table; they are there after <see cref="Fetch"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Ask(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            if (region.State(block) != _ticket)
                AskSlow(region, block);
        }
    }

    /// <summary>Whether bytes are in memory; if so, they stay until this lease begins anew.</summary>
    public bool TryKeep(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            if (!TryHold(region, block))
                return false;
        }

        return true;
    }

    /// <summary>Hints that bytes of a table will be asked for soon: what of them is not in memory comes with the next <see cref="Fetch"/>, as far as there is room for it.</summary>
    public void Hint(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            if (region.State(block) < 0 && Hints.Count < MaxHints)
                Hints.Add((region, block));
        }
    }

    /// <summary>Returns when everything asked for is in memory.</summary>
    /// <exception cref="Devices.DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    /// <exception cref="IndexWriteException">A block that had to make room could not be written.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fetch()
    {
        if (Missing.Count + Hints.Count > 0)
            Load();
    }

    /// <summary>Holds a block that is in memory.</summary>
    /// <returns>False if it is not.</returns>
    public bool TryHold(PagedRegion region, int block)
    {
        while (true)
        {
            long state = region.State(block);
            if (state == _ticket || state == PagedRegion.Held)
                return true;
            if (state < 0)
                return false;

            // Raised by a lease that began later: it needs a number of its own, for one that stayed would not tell who takes blocks away that it is held since.
            bool isShared = state > _ticket;
            if (isShared && _shared.Contains((region, block)))
                return true;
            _held.Add(region, block);
            if (!region.TryChange(block, state, isShared ? _memory!.NextTicket() : _ticket))
                continue;
            if (isShared)
                _shared.Add((region, block));
            return true;
        }
    }

    /// <summary>Notes that this lease holds a block that is about to be in memory.</summary>
    public void Hold(PagedRegion region, int block) => _held.Add(region, block);

    /// <summary>Whether this lease holds a block. On any thread.</summary>
    public bool Holds(PagedRegion region, int block) => _held.Contains(region, block);

    /// <summary>Whether this lease itself is about to read a block.</summary>
    public bool HasClaimed(PagedRegion region, int block)
    {
        foreach (BlockClaim claim in Claimed)
        {
            if (claim.Block == block && claim.Region == region)
                return true;
        }

        return false;
    }

    /// <summary>Reads the claimed blocks.</summary>
    public void ReadClaimed()
    {
        Claimed.Sort(static (a, b) => a.Region == b.Region ? a.Block.CompareTo(b.Block) : string.CompareOrdinal(a.Region.Path, b.Region.Path));
        try
        {
            for (int first = 0; first < Claimed.Count;)
            {
                PagedRegion region = Claimed[first].Region;
                int end = first + 1;
                while (end < Claimed.Count && Claimed[end].Region == region)
                    end++;
                ReaderOf(region).Read(Claimed, first, end);
                first = end;
            }
        }
        catch
        {
            // A reader whose device has failed may still have reads in flight; they must not land in blocks that are another's by then.
            CloseReaders();
            throw;
        }
    }

    /// <summary>Returns the lease.</summary>
    public void Dispose()
    {
        End();
        try
        {
            CloseReaders();
        }
        finally
        {
            _memory?.Return(this);
        }
    }

    private void Load()
    {
        Debug.Assert(IsRunning, "who asks has begun");
        _noted.Clear();
        _memory!.Load(this);
    }

    private void AskSlow(PagedRegion region, int block)
    {
        if (!TryHold(region, block) && _noted.Add((region, block)))
            Missing.Add((region, block));
    }

    private void Forget()
    {
        Missing.Clear();
        Hints.Clear();
        _noted.Clear();
        _shared.Clear();
        _held.Clear();
    }

    private void CloseReaders()
    {
        while (_readers.Count > 0)
        {
            BlockReader reader = _readers[^1];
            _readers.RemoveAt(_readers.Count - 1);
            reader.Dispose();
        }
    }

    private BlockReader ReaderOf(PagedRegion region)
    {
        foreach (BlockReader reader in _readers)
        {
            if (reader.Region == region)
                return reader;
        }

        var opened = new BlockReader(region);
        _readers.Add(opened);
        return opened;
    }
}

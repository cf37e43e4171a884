using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using VectorPipe.Diagnostics;

namespace VectorPipe.Building.Paging;

/// <summary>A worker's hold on parts of paged tables: what it asks for since it last began stays in memory until it begins anew.</summary>
/// <remarks>
/// For tables that are in memory whole every call returns at once. One thread's; returned by <see cref="Dispose"/> on that thread.
/// </remarks>
internal sealed class PageLease : IDisposable
{
    /// <summary>
    /// Blocks that a lease goes on to hold while its worker takes more; what one step of the work takes may be more than that.
    /// </summary>
    public const int MostHeld = 1024;

    /// <summary>Blocks that are fetched ahead for one worker, at most: the leaves around one.</summary>
    public const int MaxHints = 4096;

    private const long None = long.MaxValue;

    private readonly PagedMemory? _memory;
    private readonly List<BlockReader> _readers = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _noted = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _hinted = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _shared = [];
    private readonly List<(PagedRegion Region, int Block)> _claimed = [];
    private readonly LeasedBlocks _held = new();
    private long _ticket = None;
    private Exception? _error;

    /// <param name="memory">Where tables are paged; null if all are in memory whole.</param>
    public PageLease(PagedMemory? memory)
    {
        _memory = memory;
    }

    /// <summary>The ticket of the blocks that this lease holds; above all others while it holds none.</summary>
    public long Ticket => Volatile.Read(ref _ticket);

    /// <summary>Blocks that it may go on to hold, see <see cref="PagedMemory.LeaseShare"/>; no bound if all is in memory.</summary>
    public long Share => _memory?.LeaseShare ?? long.MaxValue;

    /// <summary>Whether it may hold blocks.</summary>
    public bool IsRunning => Ticket != None;

    /// <summary>Blocks that were asked for and were not in memory.</summary>
    public List<(PagedRegion Region, int Block)> Missing { get; } = [];

    /// <summary>Blocks that were hinted at and were not in memory.</summary>
    public List<(PagedRegion Region, int Block)> Hints { get; } = [];

    /// <summary>Blocks that were read and are to be handed over.</summary>
    public List<(PagedRegion Region, int Block)> Arrived { get; } = [];

    /// <summary>Blocks that could not be read and are to be given back.</summary>
    public List<(PagedRegion Region, int Block)> Failed { get; } = [];

    /// <summary>Blocks that this lease has claimed and not handed over yet; under the lock of the memory.</summary>
    public int Underway { get; private set; }

    /// <summary>Whether reads of this lease are under way.</summary>
    public bool IsReading { get; private set; }

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
        if (IsReading)
            _memory.Pump(this, TimeSpan.Zero);
        ThreadId = Environment.CurrentManagedThreadId;

        // From nothing by way of 0, so that a thread which looks for the lowest ticket while this one is being taken finds everything in
        // use.
        if (_ticket == None)
            Interlocked.Exchange(ref _ticket, 0);
        Interlocked.Exchange(ref _ticket, _memory.NextTicket());
    }

    /// <summary>
    /// Lets go of everything and begins anew, if with so many blocks more it would hold more than <see cref="MostHeld"/>, or than its share
    /// of the memory: what is held need not be taken again.
    /// </summary>
    /// <param name="blocks">Blocks that the next step of the work takes, at most.</param>
    public void Renew(long blocks)
    {
        if (_memory is not null && (!IsRunning || _held.Count + blocks > Math.Min(MostHeld, _memory.LeaseShare)))
            Begin();
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

    /// <summary>Whether bytes are in memory; if so they stay until this lease begins anew, if not they are hinted at.</summary>
    public bool TryHold(PagedRegion region, long offset, long length)
    {
        bool isThere = true;
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
            isThere &= TryHold(region, block);
        if (!isThere)
            Hint(region, offset, length);
        return isThere;
    }

    /// <summary>
    /// Hints that bytes of a table will be asked for soon: what of them is not in memory begins to be read with the next
    /// <see cref="Prefetch"/>, as far as there is room for it.
    /// </summary>
    public void Hint(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            if (region.State(block) == PagedRegion.OnDisk && Hints.Count < MaxHints && _hinted.Add((region, block)))
                Hints.Add((region, block));
        }
    }

    /// <summary>
    /// Notes that bytes of a table are about to be used: what of them is in memory goes later than all that was asked for before, what is
    /// not is hinted at. Nothing is held.
    /// </summary>
    public void Touch(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            long state = region.State(block);
            if (state >= 0 && state < _ticket - 1)
                region.TryChange(block, state, _ticket - 1);
        }

        Hint(region, offset, length);
    }

    /// <summary>
    /// Notes that bytes of a table, and those before them, will not be used again soon: their memory goes first. The lease may use them
    /// again after it has asked for them anew.
    /// </summary>
    public void Retire(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length) - 1;
        int first = PagedMemory.BlockOf(offset);
        if (first <= last)
            _memory!.Retire(this, region, first, last);
    }

    /// <summary>Returns when everything asked for is in memory.</summary>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    /// <exception cref="IndexWriteException">A block that had to make room could not be written.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fetch()
    {
        if (Missing.Count > 0)
            Load();
    }

    /// <summary>Begins to read what was hinted at, and does not wait for it.</summary>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    /// <exception cref="IndexWriteException">A block that had to make room could not be written.</exception>
    public void Prefetch()
    {
        if (Hints.Count == 0)
            return;
        _memory!.Prefetch(this);
        Hints.Clear();
        _hinted.Clear();
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

            // Raised by a lease that began later: it needs a number of its own, for one that stayed would not tell who takes blocks away
            // that it is held since.
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

    /// <summary>Whether a block was asked for and is waited for.</summary>
    public bool HasAsked(PagedRegion region, int block) => _noted.Contains((region, block));

    /// <summary>Takes it upon this lease to read a block, with the next <see cref="BeginReads()"/>; under the lock of the memory.</summary>
    public void Claim(PagedRegion region, int block)
    {
        _claimed.Add((region, block));
        Underway++;
    }

    /// <summary>Begins to read the claimed blocks.</summary>
    public void BeginReads()
    {
        if (_claimed.Count == 0)
            return;
        _claimed.Sort(
            static (a, b) => a.Region == b.Region ? a.Block.CompareTo(b.Block) : string.CompareOrdinal(a.Region.Path, b.Region.Path));
        IsReading = true;
        for (int first = 0; first < _claimed.Count;)
        {
            PagedRegion region = _claimed[first].Region;
            int end = first + 1;
            while (end < _claimed.Count && _claimed[end].Region == region)
                end++;
            BeginReads(region, first, end);
            first = end;
        }

        _claimed.Clear();
    }

    /// <summary>Takes in what has come; it is to be handed over.</summary>
    /// <param name="wait">Longest time to wait for something to come.</param>
    public void Pump(TimeSpan wait)
    {
        bool isReading = false;
        foreach (BlockReader reader in _readers)
        {
            if (!reader.IsBusy)
                continue;
            reader.Pump(Arrived.Count == 0 ? wait : TimeSpan.Zero);
            isReading |= reader.IsBusy;
        }

        IsReading = isReading;
    }

    /// <summary>Notes that what has come and failed was handed over; under the lock of the memory.</summary>
    public void Settled()
    {
        Underway -= Arrived.Count + Failed.Count;
        Arrived.Clear();
        Failed.Clear();
    }

    /// <summary>Throws the first failure of a read.</summary>
    public void ThrowIfFailed()
    {
        Exception? error = _error;
        foreach (BlockReader reader in _readers)
            error ??= reader.TakeError();
        _error = null;
        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
    }

    /// <summary>
    /// Returns the lease, once none of its reads is under way. What failed meanwhile nobody has waited for: it is logged, and whoever needs
    /// it reads it again.
    /// </summary>
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

    private void BeginReads(PagedRegion region, int first, int end)
    {
        try
        {
            ReaderOf(region).Begin(_claimed, first, end);
        }
        catch (Exception e) when (e is DeviceException or IOException or UnauthorizedAccessException)
        {
            // A device that cannot be opened, or takes nothing: told when the reads would have been waited for.
            _error ??= e;
            for (int i = first; i < end; i++)
                Failed.Add(_claimed[i]);
        }
    }

    private void Load()
    {
        Debug.Assert(IsRunning, "who asks has begun");
        _memory!.Load(this);
        _noted.Clear();
    }

    private void AskSlow(PagedRegion region, int block)
    {
        if (!TryHold(region, block) && _noted.Add((region, block)))
            Missing.Add((region, block));
    }

    private void Forget()
    {
        Missing.Clear();
        _noted.Clear();
        _shared.Clear();
        _held.Clear();
    }

    // A reader that cannot finish is closed with its reads; none of them lands in a block that is another's by then.
    private void CloseReaders()
    {
        foreach (BlockReader reader in _readers)
        {
            reader.Finish();
            if (reader.TakeError() is { } error)
                BuildLog.ReadAheadFailed(_memory!.Logger, error, reader.Region.Path);
            reader.Dispose();
        }

        _readers.Clear();
        if (Arrived.Count + Failed.Count > 0)
            _memory!.GiveUp(this);
        IsReading = false;
    }

    private BlockReader ReaderOf(PagedRegion region)
    {
        foreach (BlockReader reader in _readers)
        {
            if (reader.Region == region)
                return reader;
        }

        var opened = new BlockReader(region, Arrived, Failed);
        _readers.Add(opened);
        return opened;
    }
}

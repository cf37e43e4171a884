using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using VectorPipe.Diagnostics;

namespace VectorPipe.Building.Paging;

/// <summary>A worker's hold on parts of paged tables: blocks asked for since it last began stay in memory until it begins again.</summary>
/// <remarks>For tables in memory every call returns at once. One thread's; returned by <see cref="Dispose"/> on that thread.</remarks>
internal sealed class PageLease(PagedMemory? memory) : IDisposable
{
    /// <summary>Blocks that a lease keeps while its worker asks for more; a single step of the work may take more than that.</summary>
    public const int MostHeld = 1024;

    /// <summary>Most blocks that are read ahead for a worker: the leaves around one.</summary>
    public const int MaxHints = 4096;

    private const long None = long.MaxValue;

    private readonly PagedMemory? _memory = memory;
    private readonly List<BlockReader> _readers = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _noted = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _hinted = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _shared = [];
    private readonly List<(PagedRegion Region, int Block)> _claimed = [];
    private readonly LeasedBlocks _held = new();
    private long _ticket = None;
    private Exception? _error;

    /// <summary>The ticket of the held blocks; above all others while the lease holds none.</summary>
    public long Ticket => Volatile.Read(ref _ticket);

    /// <summary>Blocks that the lease may keep, see <see cref="PagedMemory.LeaseShare"/>; unbounded if all tables are in memory.</summary>
    public long Share => _memory?.LeaseShare ?? long.MaxValue;

    /// <summary>Whether the lease may hold blocks.</summary>
    public bool IsRunning => Ticket != None;

    /// <summary>Blocks asked for that were not in memory.</summary>
    public List<(PagedRegion Region, int Block)> Missing { get; } = [];

    /// <summary>Blocks hinted at that were not in memory.</summary>
    public List<(PagedRegion Region, int Block)> Hints { get; } = [];

    /// <summary>Blocks read, to be handed over.</summary>
    public List<(PagedRegion Region, int Block)> Arrived { get; } = [];

    /// <summary>Blocks that could not be read, to be released.</summary>
    public List<(PagedRegion Region, int Block)> Failed { get; } = [];

    /// <summary>Blocks claimed and not yet handed over; under the lock of the memory.</summary>
    public int Underway { get; private set; }

    /// <summary>Whether reads of this lease are in flight.</summary>
    public bool IsReading { get; private set; }

    /// <summary>The thread that began last; it waits for nothing else while one of its leases waits for room.</summary>
    public int ThreadId { get; private set; }

    /// <summary>Whether it waits for room; under the lock of the memory.</summary>
    public bool WaitsForRoom { get; set; }

    /// <summary>A lease of paged memory, or one for tables in memory.</summary>
    public static PageLease Rent(PagedMemory? memory) => memory?.Rent() ?? new PageLease(null);

    /// <summary>Releases all blocks and begins again.</summary>
    public void Begin()
    {
        if (_memory is null)
            return;
        Forget();
        if (IsReading)
            _memory.Pump(this, TimeSpan.Zero);
        ThreadId = Environment.CurrentManagedThreadId;

        // Publish ticket 0 first: a thread scanning for the lowest ticket while we take ours must treat every block as in use.
        if (_ticket == None)
            Interlocked.Exchange(ref _ticket, 0);
        Interlocked.Exchange(ref _ticket, _memory.NextTicket());
    }

    /// <summary>
    /// Begins again if so many more blocks would exceed <see cref="MostHeld"/> or its share; otherwise keeps the held blocks.
    /// </summary>
    public void Renew(long blocks)
    {
        if (_memory is not null && (!IsRunning || _held.Count + blocks > Math.Min(MostHeld, _memory.LeaseShare)))
            Begin();
    }

    /// <summary>Releases all blocks.</summary>
    public void End()
    {
        Forget();
        Volatile.Write(ref _ticket, None);
    }

    /// <summary>Asks for bytes of a table; they are in memory after <see cref="Fetch"/>.</summary>
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

    /// <summary>Holds bytes of a table that are in memory; otherwise hints at them and returns false.</summary>
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
    /// Hints that bytes of a table will be asked for soon: <see cref="Prefetch"/> begins to read those not in memory, as far as there is
    /// room.
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
    /// Notes that bytes are about to be used: those in memory leave after all blocks asked for earlier, the others are hinted at. Holds
    /// nothing.
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
    /// Notes that bytes, and those before them, will not be used again soon: they leave memory first. The lease may ask for them again.
    /// </summary>
    public void Retire(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length) - 1;
        int first = PagedMemory.BlockOf(offset);
        if (first <= last)
            _memory!.Retire(this, region, first, last);
    }

    /// <summary>Returns when all bytes asked for are in memory.</summary>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    /// <exception cref="IndexWriteException">A block to be evicted could not be written.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fetch()
    {
        if (Missing.Count > 0)
            Load();
    }

    /// <summary>Begins to read hinted blocks; does not wait.</summary>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    /// <exception cref="IndexWriteException">A block to be evicted could not be written.</exception>
    public void Prefetch()
    {
        if (Hints.Count == 0)
            return;
        _memory!.Prefetch(this);
        Hints.Clear();
        _hinted.Clear();
    }

    /// <summary>Holds a block that is in memory; false if it is not.</summary>
    public bool TryHold(PagedRegion region, int block)
    {
        while (true)
        {
            long state = region.State(block);
            if (state == _ticket || state == PagedRegion.Held)
                return true;
            if (state < 0)
                return false;

            // A lease that began later raised the state. Take a new number: with an unchanged one, an evicting thread would not notice this
            // hold.
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

    /// <summary>Whether this lease waits for a block.</summary>
    public bool HasAsked(PagedRegion region, int block) => _noted.Contains((region, block));

    /// <summary>Claims a block to be read with the next <see cref="BeginReads()"/>; under the lock of the memory.</summary>
    public void Claim(PagedRegion region, int block)
    {
        _claimed.Add((region, block));
        Underway++;
    }

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

    /// <summary>Collects blocks that have arrived; they are to be handed over.</summary>
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

    /// <summary>Notes that arrived and failed blocks were handed over; under the lock of the memory.</summary>
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
    /// Returns the lease after its last read. Failures of reads ahead, for which no caller waited, are logged; the blocks are read again
    /// when needed.
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
            // The device cannot be opened or refuses reads: report it when the caller waits for them.
            _error ??= e;
            for (int i = first; i < end; i++)
                Failed.Add(_claimed[i]);
        }
    }

    private void Load()
    {
        Debug.Assert(IsRunning, "a lease begins before it asks");
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

    // A reader that cannot finish is closed with its reads; none of them writes to a block that belongs to another by then.
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

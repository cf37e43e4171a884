using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using VectorPipe.Storage;

namespace VectorPipe.Building.Paging;

/// <summary>A worker's hold on parts of paged tables: what it asks for since it last began stays in memory until it begins anew.</summary>
/// <remarks>For tables that are in memory whole every call returns at once. One thread's; returned by <see cref="Dispose"/> on that thread.</remarks>
internal sealed class PageLease : IDisposable
{
    private const long None = long.MaxValue;

    // Blocks that are worth fetching ahead for one worker.
    private const int MaxHints = 1024;

    private static readonly TimeSpan _wait = TimeSpan.FromMilliseconds(100);

    private readonly PagedMemory? _memory;
    private readonly List<BlockReader> _readers = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _noted = [];
    private readonly List<(PagedRegion Region, int Block)> _hints = [];
    private readonly HashSet<(PagedRegion Region, int Block)> _hinted = [];
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

    /// <summary>Blocks that this lease takes upon itself to read; emptied by <see cref="BeginReads"/>.</summary>
    public List<(PagedRegion Region, int Block)> Claimed { get; } = [];

    /// <summary>Blocks that were read and are to be handed over.</summary>
    public List<(PagedRegion Region, int Block)> Arrived { get; } = [];

    /// <summary>Blocks that could not be read and are to be given back.</summary>
    public List<(PagedRegion Region, int Block)> Failed { get; } = [];

    /// <summary>Blocks that were hinted at and are not being read yet.</summary>
    public int Hints => _hints.Count;

    /// <summary>Whether reads of this lease are under way.</summary>
    public bool IsReading { get; private set; }

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

        // From nothing by way of 0, so that a thread which looks for the lowest ticket while this one is being taken finds everything in use.
        if (_ticket == None)
            Interlocked.Exchange(ref _ticket, 0);
        Interlocked.Exchange(ref _ticket, _memory.NextTicket());
    }

    /// <summary>Asks for bytes of a table; they are there after <see cref="Fetch"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Ask(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            if (region.State(block) < _ticket)
                AskSlow(region, block);
        }
    }

    /// <summary>Whether bytes are in memory; if so they stay until this lease begins anew, if not they are hinted at.</summary>
    public bool TryHold(PagedRegion region, long offset, long length)
    {
        bool isThere = true;
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            long state = region.State(block);
            while (state >= 0 && state < _ticket && !region.TryChange(block, state, _ticket))
                state = region.State(block);
            isThere &= state >= 0;
        }

        if (!isThere)
            Hint(region, offset, length);
        return isThere;
    }

    /// <summary>Hints that bytes of a table will be asked for soon: what of them is not in memory begins to be read with the next <see cref="Prefetch"/>, as far as there is room for hints.</summary>
    public void Hint(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            long state = region.State(block);
            if (state < 0 && state != PagedRegion.Busy && _hints.Count < MaxHints && _hinted.Add((region, block)))
                _hints.Add((region, block));
        }
    }

    /// <summary>Returns when everything asked for is in memory.</summary>
    /// <exception cref="Devices.DeviceException">A read failed.</exception>
    /// <exception cref="IndexCorruptException">A scratch file is damaged.</exception>
    /// <exception cref="IndexWriteException">A block that had to make room could not be written.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fetch()
    {
        if (Missing.Count > 0)
            Load();
    }

    /// <summary>Begins to read what was hinted at, and does not wait for it.</summary>
    public void Prefetch()
    {
        if (_hints.Count == 0)
            return;
        _memory!.Prefetch(this, _hints);
        _hints.Clear();
        _hinted.Clear();
    }

    /// <summary>Begins to read the claimed blocks.</summary>
    public void BeginReads()
    {
        Claimed.Sort(static (a, b) => a.Region == b.Region ? a.Block.CompareTo(b.Block) : string.CompareOrdinal(a.Region.Path, b.Region.Path));
        IsReading |= Claimed.Count > 0;
        for (int first = 0; first < Claimed.Count;)
        {
            PagedRegion region = Claimed[first].Region;
            int end = first + 1;
            while (end < Claimed.Count && Claimed[end].Region == region)
                end++;
            ReaderOf(region).Begin(Claimed, first, end);
            first = end;
        }

        Claimed.Clear();
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

    /// <summary>Throws the first failure of a read.</summary>
    public void ThrowIfFailed()
    {
        foreach (BlockReader reader in _readers)
        {
            if (reader.Error is not null)
                ExceptionDispatchInfo.Throw(reader.Error);
        }
    }

    /// <summary>Returns the lease, once none of its reads is under way.</summary>
    public void Dispose()
    {
        Forget();
        Volatile.Write(ref _ticket, None);
        while (IsReading)
            _memory!.Pump(this, _wait);
        foreach (BlockReader reader in _readers)
            reader.Dispose();
        _readers.Clear();
        _memory?.Return(this);
    }

    private void Load()
    {
        _noted.Clear();
        _memory!.Load(this);
    }

    private void AskSlow(PagedRegion region, int block)
    {
        while (true)
        {
            long state = region.State(block);
            if (state >= _ticket)
                return;
            if (state < 0)
            {
                if (_noted.Add((region, block)))
                    Missing.Add((region, block));
                return;
            }

            if (region.TryChange(block, state, _ticket))
                return;
        }
    }

    private void Forget()
    {
        if (Missing.Count == 0)
            return;
        Missing.Clear();
        _noted.Clear();
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

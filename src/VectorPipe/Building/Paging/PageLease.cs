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

    /// <summary>Blocks that this lease has taken upon itself to read.</summary>
    public List<(PagedRegion Region, int Block)> Claimed { get; } = [];

    /// <summary>A lease for tables in memory, or one of a paged memory's.</summary>
    public static PageLease Rent(PagedMemory? memory) => memory?.Rent() ?? new PageLease(null);

    /// <summary>Lets go of everything and begins anew.</summary>
    public void Begin()
    {
        if (_memory is null)
            return;
        Forget();

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
            if (region.State(block) < _ticket)
                AskSlow(region, block);
        }
    }

    /// <summary>Whether bytes are in memory; if so, they stay until this lease begins anew.</summary>
    public bool TryKeep(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            long state = region.State(block);
            while (state >= 0 && state < _ticket && !region.TryChange(block, state, _ticket))
                state = region.State(block);
            if (state < 0)
                return false;
        }

        return true;
    }

    /// <summary>Hints that bytes of a table will be asked for soon: what of them is not in memory comes with the next <see cref="Fetch"/>, as far as there is room for hints.</summary>
    public void Hint(PagedRegion region, long offset, long length)
    {
        int last = PagedMemory.BlockOf(offset + length - 1);
        for (int block = PagedMemory.BlockOf(offset); block <= last; block++)
        {
            if (region.State(block) < 0 && Missing.Count < MaxHints && _noted.Add((region, block)))
                Missing.Add((region, block));
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

    /// <summary>Whether this lease itself is about to read a block.</summary>
    public bool HasClaimed(PagedRegion region, int block) => Claimed.Contains((region, block));

    /// <summary>Reads the claimed blocks.</summary>
    public void ReadClaimed()
    {
        Claimed.Sort(static (a, b) => a.Region == b.Region ? a.Block.CompareTo(b.Block) : string.CompareOrdinal(a.Region.Path, b.Region.Path));
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

    /// <summary>Returns the lease.</summary>
    public void Dispose()
    {
        End();
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

        var opened = new BlockReader(region);
        _readers.Add(opened);
        return opened;
    }
}

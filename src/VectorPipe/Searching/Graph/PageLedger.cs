using System.Diagnostics;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Graph;

/// <summary>The pages of one query: the state of each, copies of those that were read, and those that wait to be taken in.</summary>
/// <remarks>
/// A page is kept for the query, so it is never read twice. Memory stays from query to query, up to <see cref="MostKept"/> pages and the
/// bounds of <see cref="IdTable{T}"/>. Not thread-safe.
/// </remarks>
/// <param name="pageSize">Bytes of a page.</param>
/// <param name="mostArrived">Most pages that arrive before they are taken in.</param>
internal sealed unsafe class PageLedger(int pageSize, int mostArrived) : IDisposable
{
    /// <summary>Pages whose memory stays allocated from query to query.</summary>
    public const int MostKept = 1024;

    private const int PagesPerBlock = 64;

    // Pages lie at multiples of four bytes, so the state takes the lowest bits of the address.
    private const nint StateBits = 3;

    private readonly IdTable<nint> _states = new();
    private readonly List<NativeBuffer> _blocks = [];
    private readonly ArrivedPage[] _arrived = new ArrivedPage[mostArrived];
    private readonly ArrivedPage[] _landed = new ArrivedPage[GraphSearch.MaxBeamWidth];
    private int _arrivedCount;
    private int _kept;
    private bool _hasBarrier;

    /// <summary>Pages that are here and were not taken in.</summary>
    public ReadOnlySpan<ArrivedPage> Arrived => _arrived.AsSpan(0, _arrivedCount);

    public bool HasArrived => _arrivedCount > 0;

    /// <summary>Pages that are here, behind the barrier of their beam.</summary>
    public int Landed { get; private set; }

    /// <summary>Bytes allocated for copies.</summary>
    public long MemoryBytes => (long)_blocks.Count * PagesPerBlock * pageSize;

    /// <summary>Begins a query.</summary>
    /// <param name="hasBarrier">Whether pages are taken in only once all of their beam are here.</param>
    public void Begin(bool hasBarrier)
    {
        _hasBarrier = hasBarrier;
        _arrivedCount = Landed = _kept = 0;
        _states.Clear();
        while (_blocks.Count * PagesPerBlock > MostKept)
        {
            _blocks[^1].Dispose();
            _blocks.RemoveAt(_blocks.Count - 1);
        }
    }

    /// <summary>Makes room for a number of pages, before the first is noted.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for them.</exception>
    public void Reserve(int pages)
    {
        _states.Reserve(pages);
        ReserveCopies(pages);
    }

    public PageState StateOf(uint page) => Get(page, out _);

    /// <summary>Looks a page up.</summary>
    /// <param name="page">The page.</param>
    /// <param name="bytes">Its bytes if it is here.</param>
    public PageState Get(uint page, out byte* bytes)
    {
        if (!_states.TryGet(page, out nint entry))
        {
            bytes = null;
            return PageState.Unknown;
        }

        bytes = (byte*)(entry & ~StateBits);
        return (PageState)(entry & StateBits);
    }

    /// <summary>Notes that the links of a page in the page graph were followed.</summary>
    public void NoteWalked(uint page) => _states.Set(page, (nint)PageState.Walked);

    /// <summary>Notes that a read of a page was issued.</summary>
    public void NoteAsked(uint page) => _states.Set(page, (nint)PageState.InFlight);

    /// <summary>Room for a copy of a page, which the page has if <see cref="Keep"/> follows.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for it.</exception>
    public byte* Room()
    {
        ReserveCopies(_kept + 1);
        return _blocks[_kept / PagesPerBlock].Pointer + (nint)(_kept % PagesPerBlock) * pageSize;
    }

    /// <summary>Keeps the page in the room that <see cref="Room"/> gave until the next query begins.</summary>
    public void Keep() => _kept++;

    /// <summary>Notes a verified page.</summary>
    /// <remarks>A beam takes cached pages in behind its barrier, too: so it answers the same with any cache, and with none.</remarks>
    public void Land(uint page, byte* bytes)
    {
        if (_hasBarrier)
            _landed[Landed++] = new ArrivedPage(page, bytes);
        else
            Arrive(new ArrivedPage(page, bytes));
    }

    /// <summary>All reads of a beam have landed: its pages arrive together.</summary>
    public void PassBarrier()
    {
        for (int i = 0; i < Landed; i++)
            Arrive(_landed[i]);
        Landed = 0;
    }

    /// <summary>All pages that arrived were taken in.</summary>
    public void NoteTaken() => _arrivedCount = 0;

    public void Dispose()
    {
        foreach (NativeBuffer block in _blocks)
            block.Dispose();
        _blocks.Clear();
    }

    private void ReserveCopies(int pages)
    {
        while (_blocks.Count * PagesPerBlock < pages)
            _blocks.Add(new NativeBuffer((nuint)PagesPerBlock * (nuint)pageSize));
    }

    private void Arrive(ArrivedPage page)
    {
        Debug.Assert(((nint)page.Bytes & StateBits) == 0, "the lowest bits are free");
        _states.Set(page.Number, (nint)page.Bytes | (nint)PageState.Here);
        _arrived[_arrivedCount++] = page;
    }
}

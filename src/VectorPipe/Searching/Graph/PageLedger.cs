using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Graph;

/// <summary>The pages of one query: which are in flight, where the bytes of the others are, and which of them wait to be taken
/// in.</summary>
/// <remarks>Not thread-safe. Memory stays from query to query, up to the bounds of <see cref="PageArena"/> and
/// <see cref="IdTable{T}"/>.</remarks>
internal sealed unsafe class PageLedger : IDisposable
{
    private readonly PageTable _states = new();
    private readonly PageArena _arena;
    private readonly ArrivedPage[] _arrived;
    private readonly ArrivedPage[] _landed;
    private int _arrivedCount;
    private bool _hasBarrier;

    /// <param name="pageSize">Bytes of a page.</param>
    /// <param name="mostArrived">Most pages that arrive before they are taken in.</param>
    public PageLedger(int pageSize, int mostArrived)
    {
        _arena = new PageArena(pageSize);
        _arrived = new ArrivedPage[mostArrived];
        _landed = new ArrivedPage[GraphSearch.MaxBeamWidth];
    }

    /// <summary>Pages that are here and were not taken in.</summary>
    public ReadOnlySpan<ArrivedPage> Arrived => _arrived.AsSpan(0, _arrivedCount);

    /// <summary>Whether a page is here that was not taken in.</summary>
    public bool HasArrived => _arrivedCount > 0;

    /// <summary>Pages that are here, behind the barrier of their beam.</summary>
    public int Landed { get; private set; }

    /// <summary>Begins a query.</summary>
    /// <param name="hasBarrier">Whether pages are taken in only once all of their beam are here.</param>
    public void Begin(bool hasBarrier)
    {
        _hasBarrier = hasBarrier;
        _arrivedCount = Landed = 0;
        _states.Clear();
        _arena.Clear();
    }

    /// <summary>Makes room for a number of pages.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for them.</exception>
    public void Reserve(int pages)
    {
        _states.Reserve(pages);
        _arena.Reserve(pages);
    }

    /// <summary>The state of a page.</summary>
    public PageState StateOf(uint page) => _states.Get(page, out _);

    /// <summary>Looks a page up.</summary>
    /// <param name="page">The page.</param>
    /// <param name="bytes">Its bytes if it is here.</param>
    public PageState Get(uint page, out byte* bytes) => _states.Get(page, out bytes);

    /// <summary>Notes that the links of a page in the page graph were followed.</summary>
    public void NoteWalked(uint page) => _states.Set(page, PageState.Walked);

    /// <summary>Notes that a page was asked for.</summary>
    public void NoteAsked(uint page) => _states.Set(page, PageState.InFlight);

    /// <summary>Room for a page, which belongs to it if <see cref="Keep"/> follows.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for it.</exception>
    public byte* Room() => _arena.Next();

    /// <summary>Takes the room that <see cref="Room"/> gave.</summary>
    public void Keep() => _arena.Take();

    /// <summary>Notes a verified page. A beam takes it in behind its barrier, wherever it came from: so a beam answers the same with any
    /// cache, and with none.</summary>
    public void Land(uint page, byte* bytes)
    {
        if (_hasBarrier)
            _landed[Landed++] = new ArrivedPage(page, bytes);
        else
            Arrive(new ArrivedPage(page, bytes));
    }

    /// <summary>All reads of a beam have landed: its pages arrive, all at once.</summary>
    public void PassBarrier()
    {
        for (int i = 0; i < Landed; i++)
            Arrive(_landed[i]);
        Landed = 0;
    }

    /// <summary>All pages that arrived were taken in.</summary>
    public void NoteTaken() => _arrivedCount = 0;

    /// <summary>Frees the memory.</summary>
    public void Dispose() => _arena.Dispose();

    private void Arrive(ArrivedPage page)
    {
        _states.Set(page.Number, PageState.Here, page.Bytes);
        _arrived[_arrivedCount++] = page;
    }
}

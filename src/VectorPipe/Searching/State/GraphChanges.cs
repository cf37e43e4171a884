using System.Collections;

namespace VectorPipe.Searching.State;

/// <summary>What checkpoints have changed in a graph since it was built: places of pages, live slots, links in memory.</summary>
/// <remarks>
/// <para>A checkpoint writes pages out of place and makes a new object; one that searches have seen never changes. Arrays are by page or by
/// internal id.</para>
/// </remarks>
internal sealed unsafe class GraphChanges
{
    /// <summary>The highest version of a slot: a node that dies with it leaves the slot empty.</summary>
    public const int MostVersion = 63;

    /// <summary>The most waiting links of a page that a search follows.</summary>
    public const int MostFollowed = 64;

    /// <summary>The most slots: as many bytes as an array has.</summary>
    public static int MostSlots => Array.MaxLength;

    // A checkpoint adds few pages or none: little room is made ahead, since it stays in memory.
    private const int LeastAhead = 16;
    private const int ShareAhead = 64;

    private readonly int _nodesPerPage;
    private uint[] _places;
    private uint[] _writers;

    /// <param name="nodesPerPage">Slots of a page.</param>
    /// <param name="pages">Pages, those included that were added.</param>
    /// <param name="pageGraph">Their links in memory, a copy.</param>
    /// <param name="mostSlots">The most slots; null for <see cref="MostSlots"/>.</param>
    public GraphChanges(int nodesPerPage, int pages, PageGraph pageGraph, int? mostSlots = null)
    {
        _nodesPerPage = nodesPerPage;
        MostPages = (mostSlots ?? MostSlots) / nodesPerPage;
        Pages = pages;
        PageGraph = pageGraph;
        _places = new uint[pages];
        _writers = new uint[pages];
        Waiting = new WaitingLinks(pages, nodesPerPage, (long)MostPages * nodesPerPage);
        Slots = new NodeSlots(pages, nodesPerPage);
        Relinked = new BitArray(pages);
    }

    /// <summary>Pages of nodes.</summary>
    public int Pages { get; set; }

    /// <summary>The most pages.</summary>
    public int MostPages { get; }

    /// <summary>Live nodes.</summary>
    public long Live { get; set; }

    /// <summary>Internal ids are below this.</summary>
    public uint NodeCount => (uint)Pages * (uint)_nodesPerPage;

    /// <summary>Where each page lies: page p at place q is page q + 1 of the file.</summary>
    public uint[] Places => _places;

    /// <summary>The generation in the header of each page; 0 for a page that was not written yet.</summary>
    public uint[] Writers => _writers;

    /// <summary>The slots of the pages.</summary>
    public NodeSlots Slots { get; }

    /// <summary>Pages whose block in the page graph is not that of the build; of those that were rewritten, it does not matter.</summary>
    public BitArray Relinked { get; }

    /// <summary>Links to new nodes that pages will get when they are rewritten.</summary>
    public WaitingLinks Waiting { get; }

    /// <summary>The links of pages in memory.</summary>
    public PageGraph PageGraph { get; private set; }

    /// <summary>Adds a page, which no search reads and which has no live nodes yet.</summary>
    /// <exception cref="IndexWriteException">There are <see cref="MostPages"/>.</exception>
    public uint AddPage()
    {
        if (Pages >= MostPages)
            throw new IndexWriteException($"Expected at most {MostPages} pages of {_nodesPerPage} slots in a graph that changes.");
        if (Pages == _places.Length)
            Grow(Pages + Math.Min(MostPages - Pages, Math.Max(LeastAhead, Pages / ShareAhead)));
        return (uint)Pages++;
    }

    /// <summary>Whether a slot holds a live node.</summary>
    public bool IsLive(uint id) => Slots.IsLive(id);

    /// <summary>Makes links of a page ready to be followed: one to a dead node leads to a live one of its page instead.</summary>
    /// <returns>Links left.</returns>
    public int ToLive(uint* ids, int count)
    {
        int live = 0;
        NodeSlots slots = Slots;
        for (int i = 0; i < count; i++)
        {
            if (slots.IsLive(ids[i]))
                ids[live++] = ids[i];
            else if (slots.FirstLive(ids[i] / (uint)_nodesPerPage) is { } other)
                ids[live++] = other;
        }

        return live;
    }

    /// <summary>Copies the targets of a page's waiting links, and returns their number; at most <see cref="MostFollowed"/>.</summary>
    public int CopyWaiting(uint page, uint* ids)
    {
        NodeSlots slots = Slots;
        int waiting = Waiting.CopyTargets(page, ids, MostFollowed), live = 0;
        for (int i = 0; i < waiting; i++)
        {
            if (slots.IsLive(ids[i]))
                ids[live++] = ids[i];
        }

        return live;
    }

    /// <summary>Prefetches what a walk through a page reads.</summary>
    public void Prefetch(uint page)
    {
        PageGraph.Prefetch(page);
        Waiting.Prefetch(page);
    }

    /// <summary>Describes why these are no changes of a graph; null if they may be.</summary>
    public string? FindDefect()
    {
        var places = new HashSet<uint>();
        long live = 0;
        for (uint page = 0; page < Pages; page++)
        {
            if (!places.Add(Places[page]))
                return $"expected a place for each page, found place {Places[page]} twice";
            if ((PageGraph.FindDefect(page, NodeCount) ?? FindDefect(page)) is { } defect)
                return defect;
            for (int slot = 0; slot < _nodesPerPage; slot++)
                live += IsLive((page * (uint)_nodesPerPage) + (uint)slot) ? 1 : 0;
        }

        return live == Live ? null : $"expected {Live} live nodes, found {live}";
    }

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes =>
        ((long)Places.Length * (sizeof(uint) + sizeof(uint))) + Slots.MemoryBytes + (Relinked.Length / 8) + Waiting.MemoryBytes
            + PageGraph.MemoryBytes;

    private void Grow(int room)
    {
        Array.Resize(ref _places, room);
        Array.Resize(ref _writers, room);
        Waiting.Grow(room);
        Slots.Grow(room);
        Relinked.Length = room;
        PageGraph = PageGraph.Copy(Pages, room);
    }

    // Waiting links lead from slots of the page to nodes of others.
    private string? FindDefect(uint page)
    {
        PageWaitingLinks links = Waiting[page];
        for (int at = 0; at < links.Count; at++)
        {
            WaitingLink link = links[at];
            if (link.Target >= NodeCount || link.Target / (uint)_nodesPerPage == page || link.Slot >= _nodesPerPage)
                return $"expected waiting links of page {page} to nodes of others, found one of slot {link.Slot} to {link.Target}";
        }

        return null;
    }
}

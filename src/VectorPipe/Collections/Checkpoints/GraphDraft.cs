using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>The next changes of a graph while a checkpoint makes them: nodes die, nodes are placed, pages are to be rewritten.</summary>
/// <remarks>
/// Not thread-safe. Placed nodes are in <see cref="Changes"/> at once, so that a search over them finds nodes of the same checkpoint. Codes
/// of new nodes go into the index's own memory. Older views may look at such a slot, but hide the record that they have there, because a
/// write has replaced or deleted it; if the changes are not published, the slot stays free.
/// </remarks>
internal sealed unsafe class GraphDraft : IDisposable
{
    /// <summary>Links in: pages that get a link to a new node.</summary>
    public const int MostLinksIn = 48;

    /// <summary>Waiting links at which a page is rewritten although it gets no new node.</summary>
    /// <remarks>
    /// About as many as a page gets between two nodes of its own: most pages are then rewritten for a node. With 24, and 64 links in, a
    /// checkpoint of a large collection rewrote 1.4 to 1.7 pages for each write, for no better recall.
    /// </remarks>
    public const int MostWaiting = 40;

    // New nodes for which there is room from the start.
    private const int MostRoom = 1 << 16;

    // Where so large a part of the slots is in use, or a little more than the build uses, a page with room takes a node if it means at
    // least this much of the best page: otherwise pages are added. With more room, added pages would cost memory and reads and never fill.
    private const float LeastAffinity = 0.25f;
    private const double FullShare = 0.85;
    private const double AboveBuilt = 0.02;

    // Pages whose blocks get a link to a page that was added.
    private const int SiblingLinks = 10;

    private readonly GraphIndex _index;
    private readonly GraphChanges? _before;
    private readonly uint _nodesPerPage;
    private readonly double _fullShare;
    private readonly Dictionary<uint, float> _affinities = [];
    private readonly Dictionary<uint, uint> _owners = [];
    private readonly Dictionary<uint, uint> _siblings = [];
    private readonly List<(float Affinity, uint Page)> _ranked = [];
    private readonly float[] _components;

    /// <param name="index">The graph.</param>
    /// <param name="changes">Its changes so far; null for none.</param>
    /// <param name="expected">New nodes for which there is room at once.</param>
    public GraphDraft(GraphIndex index, GraphChanges? changes, int expected)
    {
        _index = index;
        _before = changes;
        New = new NewNodes(Math.Min(expected, MostRoom));
        _nodesPerPage = (uint)index.Layout.NodesPerPage;
        _components = new float[index.Schema.Dimension];
        _fullShare = Math.Max(FullShare, ((double)index.Layout.Fill / index.Layout.NodesPerPage) + AboveBuilt);
        Changes = Copy(index, changes, changes?.Pages ?? (int)index.NodePages, Math.Min(expected, MostRoom) * MostLinksIn);
    }

    public GraphChanges Changes { get; }

    /// <summary>New nodes by their internal ids.</summary>
    public NewNodes New { get; }

    /// <summary>Nodes that died.</summary>
    public List<uint> Died { get; } = [];

    /// <summary>Pages to be rewritten.</summary>
    public HashSet<uint> Rewritten { get; } = [];

    /// <summary>Pages that keep their place and get other links in memory.</summary>
    public HashSet<uint> Relinked { get; } = [];

    /// <summary>Pages that got waiting links.</summary>
    public HashSet<uint> Linked { get; } = [];

    /// <summary>Notes that a node was deleted or replaced.</summary>
    public void Kill(uint id)
    {
        Debug.Assert(Changes.IsLive(id), "a node dies once");
        Changes.Slots.Free(id);
        Changes.Live--;
        Died.Add(id);
    }

    /// <summary>Whether there is room for another node.</summary>
    public bool CanAdd => Changes.Pages < Changes.MostPages;

    /// <summary>Places a node.</summary>
    /// <param name="handle">Its key in the index.</param>
    /// <param name="vector">Its vector.</param>
    /// <param name="near">Nodes near to it, nearest first.</param>
    public void Add(ulong handle, ReadOnlyMemory<byte> vector, ReadOnlySpan<uint> near)
    {
        Rank(near);
        uint home = Home();
        uint id = Take(home);
        _index.ToCodeSpace(vector.Span, _components);
        _index.CodeBook.Get().Encode(_components, 1, _index.CodeOf(id));
        New.Add(id, handle, vector, near);
        Changes.Live++;
        int links = 0;
        foreach ((_, uint page) in _ranked)
        {
            if (page == home)
                continue;
            Link(page, new WaitingLink(id, (int)(_owners[page] % _nodesPerPage)));
            if (++links == MostLinksIn)
                break;
        }
    }

    /// <summary>Finds better slots for the nodes that were placed.</summary>
    public PlacementRefiner CreateRefiner() => new(Changes.Slots, New, (int)_nodesPerPage);

    /// <summary>Gives nodes their last slots, when all are placed: their pages are to be rewritten.</summary>
    /// <param name="moved">The slots of those that moved, by where they were placed.</param>
    public void Settle(Dictionary<uint, uint> moved)
    {
        MoveCodes(moved);
        New.Renumber(moved);
        foreach (uint page in Linked)
            Changes.Waiting.Retarget(page, EarlierLinksOf(page), moved);

        // The page from which a node moved is near to it, and has no link to it yet.
        foreach ((uint before, uint id) in moved)
        {
            if (before / _nodesPerPage != id / _nodesPerPage)
                Link(before / _nodesPerPage, new WaitingLink(id, (int)(before % _nodesPerPage)));
        }

        foreach (uint id in New.Ids)
            Rewritten.Add(id / _nodesPerPage);

        // A page that was added is in the file even if all of its nodes moved.
        for (uint page = (uint)(_before?.Pages ?? (int)_index.NodePages); page < (uint)Changes.Pages; page++)
            Rewritten.Add(page);
    }

    /// <summary>Waiting links that a page had before; those behind them are new.</summary>
    public int EarlierLinksOf(uint page) => _before is not null && page < (uint)_before.Pages ? _before.Waiting[page].Count : 0;

    public void Dispose() => New.Dispose();

    // Pages by what they mean to a node: its nearest nodes count most.
    private void Rank(ReadOnlySpan<uint> near)
    {
        _affinities.Clear();
        _owners.Clear();
        for (int rank = 0; rank < near.Length; rank++)
        {
            uint page = near[rank] / _nodesPerPage;
            CollectionsMarshal.GetValueRefOrAddDefault(_affinities, page, out _) += PlacementRefiner.AffinityOf(rank);
            _owners.TryAdd(page, near[rank]);
        }

        _ranked.Clear();
        foreach ((uint page, float affinity) in _affinities)
            _ranked.Add((affinity, page));
        _ranked.Sort(static (a, b) => a.Affinity != b.Affinity ? b.Affinity.CompareTo(a.Affinity) : a.Page.CompareTo(b.Page));
    }

    private uint Home()
    {
        bool isFull = Changes.Live >= _fullShare * Changes.NodeCount;
        float least = _ranked.Count == 0 || !isFull ? 0 : LeastAffinity * _ranked[0].Affinity;
        for (int i = 0; i < _ranked.Count && _ranked[i].Affinity >= least; i++)
        {
            if (FreeSlot(_ranked[i].Page) is not null)
                return _ranked[i].Page;
        }

        // Nodes that were placed together do not see each other: those of one page share the page that was added beside it.
        for (int i = 0; i < _ranked.Count && _ranked[i].Affinity >= least; i++)
        {
            if (_siblings.TryGetValue(_ranked[i].Page, out uint sibling) && FreeSlot(sibling) is not null)
                return sibling;
        }

        return AddPage();
    }

    // A page beside the best one: it begins with its links in memory, and near pages lead to it.
    private uint AddPage()
    {
        uint page = Changes.AddPage();
        uint id = page * _nodesPerPage;
        if (_ranked.Count == 0)
            return page;
        _siblings[_ranked[0].Page] = page;
        Changes.PageGraph.SetBlock(page, Changes.PageGraph.BlockOf(_ranked[0].Page));
        Changes.PageGraph.Add(page, _owners[_ranked[0].Page]);
        for (int i = 0; i < Math.Min(SiblingLinks, _ranked.Count); i++)
        {
            Changes.PageGraph.Add(_ranked[i].Page, id);
            Relinked.Add(_ranked[i].Page);
            Changes.Relinked[(int)_ranked[i].Page] = true;
        }

        return page;
    }

    // All are read before any is written: nodes change places.
    private void MoveCodes(Dictionary<uint, uint> moved)
    {
        int length = _index.CodeOf(0).Length, at = 0;
        byte[] codes = new byte[moved.Count * length];
        foreach (uint before in moved.Keys)
            _index.CodeOf(before).CopyTo(codes.AsSpan(length * at++));
        at = 0;
        foreach (uint id in moved.Values)
            codes.AsSpan(length * at++, length).CopyTo(_index.CodeOf(id));
    }

    private uint? FreeSlot(uint page) => Changes.Slots.FreeSlot(page, GraphChanges.MostVersion);

    private uint Take(uint page)
    {
        uint id = FreeSlot(page)!.Value;
        Changes.Slots.Take(id);
        return id;
    }

    private void Link(uint page, WaitingLink link)
    {
        Changes.Waiting.Add(page, link);
        Linked.Add(page);
        if (Changes.Waiting[page].Count >= MostWaiting)
            Rewritten.Add(page);
    }

    /// <summary>Changes that may be changed: a copy of those so far.</summary>
    /// <param name="index">The graph.</param>
    /// <param name="old">The changes; null for none.</param>
    /// <param name="pages">Their pages: those so far, or more.</param>
    /// <param name="links">Waiting links that are expected to come.</param>
    public static GraphChanges Copy(GraphIndex index, GraphChanges? old, int pages, int links = 0)
    {
        int nodesPerPage = index.Layout.NodesPerPage;
        int before = old?.Pages ?? (int)index.NodePages;
        int most = (int)Math.Min(GraphChanges.MostSlots, index.Capacity);
        var copy = new GraphChanges(nodesPerPage, pages, (old?.PageGraph ?? index.PageGraph!).Copy(before, pages), most)
        {
            Live = old?.Live ?? index.Schema.Count,
        };
        if (old is not null)
        {
            Array.Copy(old.Places, copy.Places, before);
            Array.Copy(old.Writers, copy.Writers, before);
            copy.Waiting.CopyFrom(old.Waiting, before, links);
            for (int page = 0; page < before; page++)
                copy.Relinked[page] = old.Relinked[page];
            copy.Slots.CopyFrom(old.Slots, before);
            return copy;
        }

        byte[] built = new byte[nodesPerPage];
        built.AsSpan().Fill(1);
        for (uint page = 0; page < before; page++)
        {
            copy.Places[page] = page;
            copy.Writers[page] = index.NodeFile.Generation;
            copy.Slots.Set(page, built.AsSpan(0, index.NodesOf(page)));
        }

        return copy;
    }
}

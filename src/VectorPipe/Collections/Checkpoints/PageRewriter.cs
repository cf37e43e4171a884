using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;
using VectorPipe.Numerics.Sorting;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Writes a page anew: without dead nodes, with new ones, with the links that waited, and with other replicas.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed unsafe class PageRewriter
{
    // Links in memory: what the nearest nodes of a new node weigh, by rank, and any other link of the page.
    private const int Neighbours = 16;
    private const float KeptWeight = 0.2f;
    private const float LinkWeight = 0.1f;

    private readonly GraphIndex _index;
    private readonly NodeLayout _layout;
    private readonly uint _nodesPerPage;
    private readonly QueryDistance _exact;
    private readonly List<uint>[] _lists;
    private readonly HashSet<uint> _linked = [];
    private readonly List<int> _members = [];
    private readonly int[] _bytesOfList;
    private readonly byte[] _stored;
    private readonly uint[] _links = new uint[NodeLayout.MaxLinks];
    private readonly float[] _distances;
    private readonly List<Replica> _replicas = [];

    // Of each replica in turn, the distance to each node of the page.
    private readonly List<float> _toMembers = [];
    private readonly Dictionary<uint, (float Weight, uint Best, float BestWeight)> _pages = [];
    private readonly List<ulong> _ranked = [];

    /// <param name="index">The graph.</param>
    public PageRewriter(GraphIndex index)
    {
        _index = index;
        _layout = index.Layout;
        _nodesPerPage = (uint)_layout.NodesPerPage;
        _exact = QueryDistance.Create(index.Schema.Metric, _layout.ElementType, _layout.Dimension);
        _lists = [.. Enumerable.Range(0, _layout.NodesPerPage).Select(_ => new List<uint>())];
        _bytesOfList = new int[_lists.Length];
        _stored = new byte[_layout.VectorBytes];
        _distances = new float[_layout.VectorsPerPage];
    }

    /// <summary>Composes a page, and its links in memory.</summary>
    /// <param name="draft">Says which nodes the page has.</param>
    /// <param name="page">The page.</param>
    /// <param name="old">The page as it is, verified; null if it is new.</param>
    /// <param name="bytes">Zeros; receives the page.</param>
    /// <param name="identity">Identity of the page.</param>
    public void Rewrite(GraphDraft draft, uint page, byte* old, Span<byte> bytes, PageIdentity identity)
    {
        foreach (List<uint> list in _lists)
            list.Clear();
        _linked.Clear();
        _members.Clear();
        _replicas.Clear();
        _toMembers.Clear();
        fixed (byte* target = bytes)
        {
            int items = WriteMembers(draft, page, old, bytes);
            if (old is not null)
                TakeLists(draft, page, old, target);
            TakeNew(draft, page);
            WriteReplicas(draft, page, old, bytes, target);
            foreach (List<uint> list in _lists)
                list.Sort();
            Fit(page);
            for (int slot = 0; slot < _lists.Length; slot++)
                NodePage.WriteList(bytes, _layout, slot, CollectionsMarshal.AsSpan(_lists[slot]));
            PageCodec.Seal(bytes, _layout.PageKind, items, identity, bytes.Length - PageCodec.HeaderSize);
            Debug.Assert(new NodePage(target, _layout).FindDefect() is null, "a page that was composed has no defect");
        }

        WriteBlock(draft, page);
    }

    private int WriteMembers(GraphDraft draft, uint page, byte* old, Span<byte> bytes)
    {
        int items = 0;
        for (int slot = 0; slot < _layout.NodesPerPage; slot++)
        {
            uint id = (page * _nodesPerPage) + (uint)slot;
            if (!draft.Changes.IsLive(id))
                continue;
            items = slot + 1;
            _members.Add(slot);
            if (draft.New.TryGet(id, out NewNode node))
            {
                NodePage.WriteVector(bytes, _layout, slot, node.Handle, Stored(node));
                continue;
            }

            var source = new NodePage(old, _layout);
            Debug.Assert(slot < source.Count && source.State(slot) == NodeState.Live, "a node that is not new is in its page");
            NodePage.WriteVector(bytes, _layout, slot, source.Key(slot), source.Vector(slot));
        }

        return items;
    }

    // The links of a dead node go to the node that is nearest to it.
    private void TakeLists(GraphDraft draft, uint page, byte* old, byte* target)
    {
        var source = new NodePage(old, _layout);
        for (int slot = 0; slot < source.Count; slot++)
        {
            int count = source.LinkCount(slot);
            if (count == 0)
                continue;
            if (!source.TryReadLinks(slot, draft.Changes.NodeCount, _links))
                throw new IndexCorruptException(
                    _index.NodePath, page + 1L, $"expected a list of {count} links below {draft.Changes.NodeCount} in slot {slot}");
            uint id = (page * _nodesPerPage) + (uint)slot;
            bool isKept = draft.Changes.IsLive(id) && !draft.New.Contains(id);
            int owner = isKept ? slot : Nearest(source.Vector(slot), target);
            if (owner < 0)
                return;
            for (int i = 0; i < count; i++)
                Add(draft, page, owner, _links[i]);
        }
    }

    private void TakeNew(GraphDraft draft, uint page)
    {
        uint first = page * _nodesPerPage;
        for (int slot = 0; slot < _layout.NodesPerPage; slot++)
        {
            if (!draft.New.TryGet(first + (uint)slot, out NewNode node))
                continue;
            foreach (uint near in draft.New.LinksOf(node))
                Add(draft, page, slot, near);
        }

        PageWaitingLinks waiting = draft.Changes.Waiting[page];
        for (int at = 0; at < waiting.Count; at++)
        {
            (uint target, int slot) = waiting[at];
            if (!draft.Changes.IsLive(first + (uint)slot))
                slot = draft.Changes.Slots.FirstLive(page) is { } live ? (int)(live - first) : -1;
            if (slot >= 0)
                Add(draft, page, slot, target);
        }
    }

    private void Add(GraphDraft draft, uint page, int slot, uint id)
    {
        if (id / _nodesPerPage == page || !draft.Changes.IsLive(id))
            return;
        if (_lists[slot].Count < _layout.MaxListLength && _linked.Add(id))
            _lists[slot].Add(id);
    }

    private void WriteReplicas(GraphDraft draft, uint page, byte* old, Span<byte> bytes, byte* target)
    {
        if (_layout.ReplicasPerPage == 0)
            return;
        if (old is not null)
        {
            var source = new NodePage(old, _layout);
            for (int i = 0; i < source.ReplicaCount; i++)
            {
                uint id = source.ReplicaId(i);
                int slot = _layout.NodesPerPage + i;
                if (draft.Changes.Slots.IsCurrent(id, source.Version(slot)) && id / _nodesPerPage != page && !draft.New.Contains(id))
                    Consider(new Replica(id, source.Key(slot), slot), source.Vector(slot), target);
            }
        }

        foreach (List<uint> list in _lists)
        {
            foreach (uint id in list)
            {
                if (draft.New.TryGet(id, out NewNode node))
                    Consider(new Replica(id, node.Handle, -1), Stored(node), target);
            }
        }

        Span<Replica> replicas = CollectionsMarshal.AsSpan(_replicas);
        Vote(replicas);
        replicas.Sort(static (a, b) => a.Votes != b.Votes ? b.Votes.CompareTo(a.Votes) : a.Id.CompareTo(b.Id));
        int count = Math.Min(replicas.Length, _layout.ReplicasPerPage);

        // A node that is no replica any more stays known as a link.
        foreach (Replica replica in replicas[count..])
        {
            if (replica.Slot >= 0 && replica.Nearest >= 0)
                Add(draft, page, replica.Nearest, replica.Id);
        }

        Span<Replica> chosen = replicas[..count];
        chosen.Sort(static (a, b) => a.Id.CompareTo(b.Id));
        Span<uint> ids = stackalloc uint[count];
        for (int i = 0; i < count; i++)
        {
            Replica replica = chosen[i];
            ids[i] = replica.Id;
            ReadOnlySpan<byte> vector = draft.New.TryGet(replica.Id, out NewNode node)
                ? Stored(node)
                : new NodePage(old, _layout).Vector(replica.Slot);
            NodePage.WriteVector(bytes, _layout, _layout.NodesPerPage + i, replica.Key, vector);
            NodePage.WriteVersion(bytes, _layout, _layout.NodesPerPage + i, draft.Changes.Slots.VersionOf(ids[i]));
            if (!_linked.Remove(ids[i]))
                continue;
            foreach (List<uint> list in _lists)
            {
                if (list.Remove(ids[i]))
                    break;
            }
        }

        NodePage.WriteReplicaIds(bytes, _layout, ids);
    }

    // Which links go is of no consequence (the study of writes: equal to the digit), so go those that a hash chooses from the longest list.
    private void Fit(uint page)
    {
        int total = 0;
        for (int slot = 0; slot < _lists.Length; slot++)
            total += _bytesOfList[slot] = BytesOf(_lists[slot]);
        ulong random = page;
        while (total > _layout.LinkBytes)
        {
            int longest = 0;
            for (int slot = 1; slot < _lists.Length; slot++)
            {
                if (_lists[slot].Count > _lists[longest].Count)
                    longest = slot;
            }

            random = (random * 0x5851_F42D_4C95_7F2D) + 1;
            _lists[longest].RemoveAt((int)((random >> 33) % (ulong)_lists[longest].Count));
            total -= _bytesOfList[longest];
            total += _bytesOfList[longest] = BytesOf(_lists[longest]);
        }
    }

    private int BytesOf(List<uint> list)
    {
        int bits = 0;
        uint expected = 0;
        foreach (uint id in list)
        {
            bits += _layout.LinkCode.BitsOf(id - expected + 1);
            expected = id + 1;
        }

        return (bits + 7) >> 3;
    }

    private void WriteBlock(GraphDraft draft, uint page)
    {
        _pages.Clear();
        int kept;
        fixed (uint* links = _links)
            kept = draft.Changes.ToLive(links, draft.Changes.PageGraph.Read(page, links));
        for (int i = 0; i < kept; i++)
            Weigh(page, _links[i], KeptWeight, isOld: true);
        for (int slot = 0; slot < _lists.Length; slot++)
        {
            if (draft.New.TryGet((page * _nodesPerPage) + (uint)slot, out NewNode node))
            {
                ReadOnlySpan<uint> near = draft.New.LinksOf(node);
                for (int rank = 0; rank < Math.Min(Neighbours, near.Length); rank++)
                    Weigh(page, near[rank], 0.9f / (rank + 3), isOld: false);
            }

            foreach (uint id in _lists[slot])
                Weigh(page, id, LinkWeight, isOld: false);
        }

        // Heaviest first, then by page: weights are positive, so their bits have their order.
        _ranked.Clear();
        foreach ((uint other, (float weight, _, _)) in _pages)
            _ranked.Add((ulong)~BitConverter.SingleToUInt32Bits(weight) << 32 | other);
        RankSort.Sort(CollectionsMarshal.AsSpan(_ranked));
        int count = Math.Min(_ranked.Count, PageGraphBlock.MaxLinks);
        for (int i = 0; i < count; i++)
            _links[i] = _pages[(uint)_ranked[i]].Best;
        draft.Changes.PageGraph.Write(page, _links.AsSpan(0, count));
    }

    private void Weigh(uint page, uint id, float weight, bool isOld)
    {
        uint other = id / _nodesPerPage;
        if (other == page)
            return;
        ref (float Weight, uint Best, float BestWeight) entry = ref CollectionsMarshal.GetValueRefOrAddDefault(_pages, other, out _);
        entry.Weight += weight;

        // The build chose the node by which it leads to a page better than a few links can.
        float rank = isOld ? float.MaxValue : weight;
        if (rank > entry.BestWeight)
            (entry.Best, entry.BestWeight) = (id, rank);
    }

    // Slot of the node of the page that is nearest to a vector; -1 if the page has none.
    private int Nearest(ReadOnlySpan<byte> vector, byte* target)
    {
        Compute(vector, target);
        int nearest = -1;
        foreach (int slot in CollectionsMarshal.AsSpan(_members))
        {
            if (nearest < 0 || _distances[slot] < _distances[nearest])
                nearest = slot;
        }

        return nearest;
    }

    private void Consider(Replica replica, ReadOnlySpan<byte> vector, byte* target)
    {
        replica.Nearest = Nearest(vector, target);
        foreach (int slot in CollectionsMarshal.AsSpan(_members))
            _toMembers.Add(_distances[slot]);
        _replicas.Add(replica);
    }

    // Each node of the page votes for those near to it, the nearest most: whether its neighbours are near or far on the whole. By the mean
    // distance to the four nearest nodes, a page has a tenth fewer of its nodes' ten nearest as replicas, and searches read 1 to 2 % more.
    private void Vote(Span<Replica> replicas)
    {
        ReadOnlySpan<float> distances = CollectionsMarshal.AsSpan(_toMembers);
        for (int member = 0; member < _members.Count; member++)
        {
            _ranked.Clear();
            for (int i = 0; i < replicas.Length; i++)
                _ranked.Add(CandidateKey.Of(distances[(i * _members.Count) + member], (uint)i));
            RankSort.Sort(CollectionsMarshal.AsSpan(_ranked));
            for (int rank = 0; rank < replicas.Length; rank++)
                replicas[(int)(uint)_ranked[rank]].Votes += PlacementRefiner.AffinityOf(rank);
        }
    }

    private void Compute(ReadOnlySpan<byte> vector, byte* target)
    {
        _exact.SetQuery(vector);
        _exact.ComputeStrided(new NodePage(target, _layout).FirstVector, _layout.VectorStride, _layout.NodesPerPage, _distances);
    }

    private ReadOnlySpan<byte> Stored(in NewNode node)
    {
        VectorConversion.Convert(_index.Schema.ElementType, node.Vector.Span, _layout.ElementType, _stored);
        return _stored;
    }

    // A node near to those of the page: from a slot of the old page, or new, with slot -1.
    private record struct Replica(uint Id, ulong Key, int Slot)
    {
        public float Votes { get; set; }

        public int Nearest { get; set; }
    }
}

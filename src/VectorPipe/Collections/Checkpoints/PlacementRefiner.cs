using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Finds better slots for the new nodes of a checkpoint: free ones, or each in the other's.</summary>
/// <remarks>
/// A node is placed before others near to it come, and after others have taken slots that mean more to it than to them. Nodes that are in
/// pages stay where they are: links lead to them. See docs/decisions.md#checkpoints. Not thread-safe.
/// </remarks>
internal sealed unsafe class PlacementRefiner : IDisposable
{
    // Nearest nodes of a node that are looked at: as good as 100, in half the time.
    private const int Considered = 32;

    // About half of what the last of them means.
    private const float LeastGain = 0.025f;

    private const int NoNode = int.MaxValue;

    private static readonly float[] _affinityOf = [.. Enumerable.Range(0, Considered).Select(AffinityOf)];

    private readonly NodeSlots _slots;
    private readonly uint _nodesPerPage;

    // By place: where each new node was placed, where it is now, and the page of that, which is asked for most.
    private readonly uint[] _ids;
    private readonly uint[] _current;
    private readonly uint[] _pages;
    private readonly Dictionary<uint, int> _placeAt;

    // The nearest nodes of each new one, as many of each: the place of a new node, the complement of the page of another one, or no node.
    private readonly NativeBuffer _near;

    // New nodes that have a new node among their nearest ones, by its place: from where on, who, and how much it means.
    private readonly int[] _reverseFrom;
    private readonly (int Place, float Affinity)[] _reverse;
    private readonly Dictionary<uint, float> _affinities = [];

    /// <param name="slots">The slots of all pages, with those of the new nodes.</param>
    /// <param name="nodes">The new nodes.</param>
    /// <param name="nodesPerPage">Slots of a page.</param>
    public PlacementRefiner(NodeSlots slots, NewNodes nodes, int nodesPerPage)
    {
        _slots = slots;
        _nodesPerPage = (uint)nodesPerPage;
        _ids = new uint[nodes.Count];
        _placeAt = new Dictionary<uint, int>(nodes.Count);
        foreach (uint id in nodes.Ids)
        {
            nodes.TryGet(id, out NewNode node);
            _ids[node.Links] = id;
            _placeAt.Add(id, node.Links);
        }

        _current = [.. _ids];
        _pages = [.. _ids.Select(id => id / _nodesPerPage)];
        _near = new NativeBuffer((nuint)Math.Max(1, Count) * Considered * sizeof(int));
        for (int place = 0; place < Count; place++)
        {
            ReadOnlySpan<uint> near = nodes.LinksAt(place);
            for (int rank = 0; rank < Considered; rank++)
            {
                NearOf(place)[rank] = rank >= near.Length ? NoNode
                    : nodes.TryGet(near[rank], out NewNode target) ? target.Links : ~(int)(near[rank] / _nodesPerPage);
            }
        }

        (_reverseFrom, _reverse) = Reverse();
    }

    /// <summary>New nodes.</summary>
    public int Count => _ids.Length;

    /// <summary>Where the nodes that moved are now, by their first internal ids.</summary>
    public Dictionary<uint, uint> Moved => _ids.Zip(_current).Where(node => node.First != node.Second).ToDictionary();

    /// <summary>What a node means to another one: the nearest most.</summary>
    /// <param name="rank">Its rank among the nearest ones, from 0 on.</param>
    public static float AffinityOf(int rank) => 2f / (rank + 4);

    /// <summary>Moves some nodes, each to where that gains most; returns how many did.</summary>
    public int Refine(int first, int count)
    {
        int moves = 0;
        for (int place = first; place < first + count; place++)
            moves += TryMove(place) ? 1 : 0;
        return moves;
    }

    public void Dispose() => _near.Dispose();

    /// <summary>What the new nodes mean to their pages in all.</summary>
    internal double TotalAffinity()
    {
        double total = 0;
        for (int place = 0; place < Count; place++)
        {
            // What two new nodes mean to each other counts once, not with both.
            var near = new NearEnumerator(this, place);
            while (near.MoveNext())
                total += near.Page != _pages[place] ? 0 : near.Place < 0 ? near.Affinity : near.Affinity / 2;
        }

        return total;
    }

    private (int[] From, (int Place, float Affinity)[] Reverse) Reverse()
    {
        int[] from = new int[Count + 1];
        foreach ((_, int target, _) in Pairs())
            from[target + 1]++;
        for (int place = 0; place < Count; place++)
            from[place + 1] += from[place];
        int[] next = [.. from];
        var reverse = new (int Place, float Affinity)[from[^1]];
        foreach ((int place, int target, float affinity) in Pairs())
            reverse[next[target]++] = (place, affinity);
        return (from, reverse);
    }

    // New nodes among the nearest ones of new nodes.
    private IEnumerable<(int Place, int Target, float Affinity)> Pairs()
    {
        for (int place = 0; place < Count; place++)
        {
            for (int rank = 0; rank < Considered; rank++)
            {
                if (NearOf(place)[rank] is >= 0 and < NoNode and int target)
                    yield return (place, target, _affinityOf[rank]);
            }
        }
    }

    private bool TryMove(int place)
    {
        uint page = _pages[place];
        _affinities.Clear();
        var near = new NearEnumerator(this, place);
        while (near.MoveNext())
            CollectionsMarshal.GetValueRefOrAddDefault(_affinities, near.Page, out _) += near.Affinity;
        float own = _affinities.GetValueOrDefault(page), best = LeastGain;
        uint? better = null;
        foreach ((uint other, float affinity) in _affinities)
        {
            if (affinity - own <= best)
                continue;
            if (_slots.FreeSlot(other, GraphChanges.MostVersion) is { } free)
                (best, better) = (affinity - own, free);
            else
                ConsiderSwaps(place, other, affinity, own, ref best, ref better);
        }

        if (better is not { } slot)
            return false;
        if (_placeAt.TryGetValue(slot, out int swapped))
        {
            (_current[place], _current[swapped]) = (slot, _current[place]);
            _pages[swapped] = page;
            _placeAt[_current[swapped]] = swapped;
        }
        else
        {
            _slots.Return(_current[place]);
            _slots.Take(slot);
            _placeAt.Remove(_current[place]);
            _current[place] = slot;
        }

        _placeAt[slot] = place;
        _pages[place] = slot / _nodesPerPage;
        AssertInvariants(place);
        return true;
    }

    // Two nodes that are near to each other stay in two pages: neither counts the other.
    private void ConsiderSwaps(int place, uint page, float affinity, float own, ref float best, ref uint? better)
    {
        uint ownPage = _pages[place];
        for (uint slot = page * _nodesPerPage; slot < (page + 1) * _nodesPerPage; slot++)
        {
            if (!_placeAt.TryGetValue(slot, out int other))
                continue;

            // Nearly all of them mean too much to their page: what the first node means to it without them is asked for few.
            float rest = GainOf(other, page, ownPage, place) - own;
            if (affinity + rest <= best)
                continue;
            float gain = AffinityTo(place, page, other) + rest;
            if (gain > best)
                (best, better) = (gain, slot);
        }
    }

    private float AffinityTo(int place, uint page, int except)
    {
        float sum = 0;
        var near = new NearEnumerator(this, place);
        while (near.MoveNext())
        {
            if (near.Page == page && near.Place != except)
                sum += near.Affinity;
        }

        return sum;
    }

    // What a node gains if it goes from one page to another, which a node leaves.
    private float GainOf(int place, uint from, uint to, int except)
    {
        float gain = 0;
        var near = new NearEnumerator(this, place);
        while (near.MoveNext())
        {
            if (near.Page == from)
                gain -= near.Affinity;
            else if (near.Page == to && near.Place != except)
                gain += near.Affinity;
        }

        return gain;
    }

    private Span<int> NearOf(int place) => new((int*)_near.Pointer + ((nint)place * Considered), Considered);

    [Conditional("DEBUG")]
    private void AssertInvariants(int place)
    {
        Debug.Assert(_placeAt.Count == Count, "each new node has a slot of its own");
        Debug.Assert(_placeAt[_current[place]] == place, "a slot knows its node");
        Debug.Assert(_pages[place] == _current[place] / _nodesPerPage, "a node's page is that of its slot");
        Debug.Assert(_slots.IsLive(_current[place]), "the slot of a new node is taken");
    }

    // The nodes near to a new one, and the new ones to which it is near. A node in a page is taken to be as near to the new one as that is
    // to it.
    private ref struct NearEnumerator(PlacementRefiner refiner, int place)
    {
        private readonly ReadOnlySpan<int> _near = refiner.NearOf(place);
        private readonly ReadOnlySpan<(int Place, float Affinity)> _reverse =
            refiner._reverse.AsSpan(refiner._reverseFrom[place]..refiner._reverseFrom[place + 1]);
        private int _next;

        /// <summary>Page of the other node.</summary>
        public uint Page { get; private set; }

        /// <summary>Place of the other node; -1 for one that is not new.</summary>
        public int Place { get; private set; }

        public float Affinity { get; private set; }

        public bool MoveNext()
        {
            int at = _next++;
            if (at >= Considered + _reverse.Length)
                return false;
            if (at >= Considered)
            {
                (Place, Affinity) = _reverse[at - Considered];
                Page = refiner._pages[Place];
                return true;
            }

            int near = _near[at];
            if (near == NoNode)
            {
                _next = Math.Max(_next, Considered);
                return MoveNext();
            }

            Place = near >= 0 ? near : -1;
            Affinity = near >= 0 ? _affinityOf[at] : 2 * _affinityOf[at];
            Page = near >= 0 ? refiner._pages[near] : (uint)~near;
            return true;
        }
    }
}

using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Finds better slots for the new nodes of a checkpoint: free ones, or each in the other's.</summary>
/// <remarks>
/// A node is placed before others near to it come, and after others have taken slots that mean more to it than to them. Nodes that are in
/// pages stay where they are: links lead to them. See docs/decisions.md#checkpoints. Not thread-safe.
/// </remarks>
internal sealed class PlacementRefiner
{
    // Nearest nodes of a node that are looked at: as good as 100, in half the time.
    private const int Considered = 32;

    // Half of what the last of them means.
    private const float LeastGain = 0.025f;

    private readonly NodeSlots _slots;
    private readonly NewNodes _nodes;
    private readonly uint _nodesPerPage;

    // By place: where each new node was placed, and where it is now.
    private readonly uint[] _ids;
    private readonly uint[] _current;
    private readonly Dictionary<uint, int> _placeAt;

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
        _nodes = nodes;
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

    /// <summary>What the new nodes mean to their pages in all.</summary>
    internal double TotalAffinity()
    {
        double total = 0;
        for (int place = 0; place < Count; place++)
        {
            // What two new nodes mean to each other counts once, not with both.
            var near = new NearEnumerator(this, place);
            while (near.MoveNext())
                total += near.Page != PageOf(place) ? 0 : near.Place < 0 ? near.Affinity : near.Affinity / 2;
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
            int count = Math.Min(Considered, _nodes.LinksAt(place).Length);
            for (int rank = 0; rank < count; rank++)
            {
                if (_nodes.TryGet(_nodes.LinksAt(place)[rank], out NewNode target))
                    yield return (place, target.Links, AffinityOf(rank));
            }
        }
    }

    private bool TryMove(int place)
    {
        uint page = PageOf(place);
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
                ConsiderSwaps(place, other, own, ref best, ref better);
        }

        if (better is not { } slot)
            return false;
        if (_placeAt.TryGetValue(slot, out int swapped))
        {
            (_current[place], _current[swapped]) = (slot, _current[place]);
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
        AssertInvariants(place);
        return true;
    }

    // Two nodes that are near to each other stay in two pages: neither counts the other.
    private void ConsiderSwaps(int place, uint page, float own, ref float best, ref uint? better)
    {
        uint ownPage = PageOf(place);
        for (uint slot = page * _nodesPerPage; slot < (page + 1) * _nodesPerPage; slot++)
        {
            if (!_placeAt.TryGetValue(slot, out int other))
                continue;
            float gain = AffinityTo(place, page, other) - own + AffinityTo(other, ownPage, place) - AffinityTo(other, page, except: -1);
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
            if (near.Page == page && (near.Place != except || except < 0))
                sum += near.Affinity;
        }

        return sum;
    }

    private uint PageOf(int place) => _current[place] / _nodesPerPage;

    [Conditional("DEBUG")]
    private void AssertInvariants(int place)
    {
        Debug.Assert(_placeAt.Count == Count, "each new node has a slot of its own");
        Debug.Assert(_placeAt[_current[place]] == place, "a slot knows its node");
        Debug.Assert(_slots.IsLive(_current[place]), "the slot of a new node is taken");
    }

    // The nodes near to a new one, and the new ones to which it is near. A node in a page is taken to be as near to the new one as that is
    // to it.
    private ref struct NearEnumerator(PlacementRefiner refiner, int place)
    {
        private readonly ReadOnlySpan<uint> _near = refiner._nodes.LinksAt(place);
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
            int rank = _next++, count = Math.Min(Considered, _near.Length);
            if (rank >= count + _reverse.Length)
                return false;
            if (rank >= count)
            {
                (Place, Affinity) = _reverse[rank - count];
                Page = refiner.PageOf(Place);
                return true;
            }

            bool isNew = refiner._nodes.TryGet(_near[rank], out NewNode node);
            Place = isNew ? node.Links : -1;
            Affinity = AffinityOf(rank) * (isNew ? 1 : 2);
            Page = isNew ? refiner.PageOf(Place) : _near[rank] / refiner._nodesPerPage;
            return true;
        }
    }
}

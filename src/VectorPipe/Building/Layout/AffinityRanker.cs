using System.Numerics;
using System.Runtime.InteropServices;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Layout;

/// <summary>Ranks the pages of a node's neighbours by how much they matter to it.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class AffinityRanker(int nodesPerPage)
{
    /// <summary>Nearest points of a point that count.</summary>
    public const int Neighbours = 24;

    // A link weighs a fraction of a near neighbour: links are many, and most of them are long.
    private const float LinkWeight = 0.1f;

    // Thousands of nodes may know a hub.
    private const int MaxPages = 512;

    private readonly int[] _slots = new int[2 * MaxPages];
    private readonly List<int> _pages = [];
    private readonly List<float> _affinities = [];
    private readonly List<uint> _owners = [];
    private readonly List<ulong> _ranked = [];

    /// <summary>Ranks the pages around a node.</summary>
    /// <param name="node">Its position.</param>
    /// <param name="nearest">Its nearest rows, nearest first; -1 stands for none.</param>
    /// <param name="links">Rows it links to.</param>
    /// <param name="sources">Its reverse neighbours, see <see cref="ReverseNeighbours.SourcesOf"/>.</param>
    /// <param name="ranks">Their ranks, see <see cref="ReverseNeighbours.RanksOf"/>.</param>
    /// <param name="positionOf">Row to position.</param>
    /// <param name="requests">Receives the nearest node of each page, best page first, then <see cref="PageLinkRequests.None"/>.</param>
    public void Rank(
        int node, ReadOnlySpan<int> nearest, ReadOnlySpan<int> links, ReadOnlySpan<uint> sources, ReadOnlySpan<byte> ranks,
        int[] positionOf, Span<uint> requests)
    {
        Clear();
        int home = node / nodesPerPage;
        for (int i = 0; i < Math.Min(nearest.Length, Neighbours) && nearest[i] >= 0; i++)
            Add(home, positionOf[nearest[i]], NearWeight(i));
        foreach (int row in links)
            Add(home, positionOf[row], LinkWeight);
        for (int i = 0; i < sources.Length; i++)
            Add(home, (int)sources[i], ranks[i] == ReverseNeighbours.Link ? LinkWeight : NearWeight(ranks[i]));

        // The page that matters most comes first; of equals the one that was met first.
        _ranked.Clear();
        for (int i = 0; i < _pages.Count; i++)
            _ranked.Add((ulong)~BitConverter.SingleToUInt32Bits(_affinities[i]) << 32 | (uint)i);
        RankSort.Sort(CollectionsMarshal.AsSpan(_ranked));
        int count = Math.Min(requests.Length, _ranked.Count);
        for (int i = 0; i < count; i++)
            requests[i] = _owners[(int)(uint)_ranked[i]];
        requests[count..].Fill(PageLinkRequests.None);
    }

    private static float NearWeight(int rank) => 2f / (rank + 4);

    private void Add(int home, int id, float affinity)
    {
        int page = id / nodesPerPage;
        if (page == home)
            return;
        uint mask = (uint)_slots.Length - 1;
        uint at = ((uint)page * 0x9E37_79B1u) >> (32 - BitOperations.Log2((uint)_slots.Length));
        for (; _slots[at & mask] != 0; at++)
        {
            int known = _slots[at & mask] - 1;
            if (_pages[known] == page)
            {
                _affinities[known] += affinity;
                return;
            }
        }

        if (_pages.Count == MaxPages)
            return;
        _pages.Add(page);
        _affinities.Add(affinity);
        _owners.Add((uint)id);
        _slots[at & mask] = _pages.Count;
    }

    private void Clear()
    {
        Array.Clear(_slots);
        _pages.Clear();
        _affinities.Clear();
        _owners.Clear();
    }
}

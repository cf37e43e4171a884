using System.Numerics;
using System.Runtime.InteropServices;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Layout;

/// <summary>Ranks the pages of a node's neighbours by how much they matter to it.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class AffinityRanker
{
    /// <summary>Nearest points of a point that count.</summary>
    public const int Neighbours = 24;

    // Links of the graph weigh a fraction of a near neighbour: they are many, and the most of them are long.
    private const float LinkWeight = 0.1f;

    // A hub is known to thousands.
    private const int MaxPages = 512;

    private readonly int _nodesPerPage;
    private readonly int[] _slots = new int[2 * MaxPages];
    private readonly List<int> _pages = [];
    private readonly List<float> _affinities = [];
    private readonly List<uint> _owners = [];
    private readonly List<ulong> _ranked = [];

    /// <param name="nodesPerPage">Nodes of a page.</param>
    public AffinityRanker(int nodesPerPage) => _nodesPerPage = nodesPerPage;

    /// <summary>Ranks the pages around a node.</summary>
    /// <param name="node">The node's internal id.</param>
    /// <param name="nearest">Its nearest rows, nearest first; -1 stands for none.</param>
    /// <param name="links">Rows it links to.</param>
    /// <param name="sources">Nodes tied to it, see <see cref="ReverseNeighbours.SourcesOf"/>.</param>
    /// <param name="ranks">How, see <see cref="ReverseNeighbours.RanksOf"/>.</param>
    /// <param name="idOf">Row to internal id.</param>
    /// <param name="applications">Receives, page by page, the node there that is nearest to it; <see cref="PageLinkRequests.None"/> at the
    /// end.</param>
    public void Rank(
        int node, ReadOnlySpan<int> nearest, ReadOnlySpan<int> links, ReadOnlySpan<uint> sources, ReadOnlySpan<byte> ranks, int[] idOf,
        Span<uint> applications)
    {
        Clear();
        int home = node / _nodesPerPage;
        for (int i = 0; i < Math.Min(nearest.Length, Neighbours) && nearest[i] >= 0; i++)
            Add(home, idOf[nearest[i]], NearWeight(i));
        foreach (int row in links)
            Add(home, idOf[row], LinkWeight);
        for (int i = 0; i < sources.Length; i++)
            Add(home, (int)sources[i], ranks[i] == ReverseNeighbours.Link ? LinkWeight : NearWeight(ranks[i]));

        // The page that matters most first; of equals the one that was met first.
        _ranked.Clear();
        for (int i = 0; i < _pages.Count; i++)
            _ranked.Add((ulong)~BitConverter.SingleToUInt32Bits(_affinities[i]) << 32 | (uint)i);
        RankSort.Sort(CollectionsMarshal.AsSpan(_ranked));
        int count = Math.Min(applications.Length, _ranked.Count);
        for (int i = 0; i < count; i++)
            applications[i] = _owners[(int)(uint)_ranked[i]];
        applications[count..].Fill(PageLinkRequests.None);
    }

    private static float NearWeight(int rank) => 2f / (rank + 4);

    private void Add(int home, int id, float affinity)
    {
        int page = id / _nodesPerPage;
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

using System.Runtime.InteropServices;
using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Layout;

/// <summary>Chooses the replicas of a page: nodes of other pages that are tied to most of its nodes.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class ReplicaChooser(MergedGraph graph)
{
    /// <summary>Rows whose nearest rows are held together.</summary>
    public const int RowsTogether = 64;

    // Nearest points that tie a point to others, in both directions.
    private const int Neighbours = 16;

    // A node that is near to several nodes of a page ranks the page among its first.
    private const int RanksLooked = 8;

    private readonly Dictionary<uint, int> _ties = [];
    private readonly List<(int Ties, uint Node)> _ranked = [];
    private readonly uint[] _chosen = new uint[graph.Layout.ReplicasPerPage];
    private readonly int[] _rows = new int[RowsTogether];

    /// <summary>Returns the replicas of a page, ascending positions that are valid until the next call.</summary>
    public ReadOnlySpan<uint> Choose(int page, ReadOnlySpan<int> rows, ReadOnlySpan<LinkRequester> requesters, PageLease lease)
    {
        if (_chosen.Length == 0)
            return [];
        _ties.Clear();
        TieNeighbours(page, rows, lease);
        TieRequesters(page, requesters, lease);

        _ranked.Clear();
        foreach ((uint node, int ties) in _ties)
            _ranked.Add((ties, node));
        _ranked.Sort(static (a, b) => a.Ties != b.Ties ? b.Ties.CompareTo(a.Ties) : a.Node.CompareTo(b.Node));
        int count = Math.Min(_chosen.Length, _ranked.Count);
        for (int i = 0; i < count; i++)
            _chosen[i] = _ranked[i].Node;
        Span<uint> chosen = _chosen.AsSpan(0, count);
        chosen.Sort();
        return chosen;
    }

    // Nodes of other pages that those of the page are near to.
    private void TieNeighbours(int page, ReadOnlySpan<int> rows, PageLease lease)
    {
        int nodesPerPage = graph.Fill;
        for (int i = 0; i < rows.Length; i++)
        {
            if (i % RowsTogether == 0)
                Hold(rows.Slice(i, Math.Min(RowsTogether, rows.Length - i)), lease);
            foreach (int other in graph.Nearest.Of(rows[i], Neighbours))
            {
                if (graph.PositionOf[other] / nodesPerPage != page)
                    CollectionsMarshal.GetValueRefOrAddDefault(_ties, (uint)graph.PositionOf[other], out _)++;
            }
        }
    }

    // Nodes of other pages that are near to those of the page.
    private void TieRequesters(int page, ReadOnlySpan<LinkRequester> requesters, PageLease lease)
    {
        int nodesPerPage = graph.Fill;
        for (int first = 0; first < requesters.Length && requesters[first].Rank < RanksLooked; first += RowsTogether)
        {
            int count = 0;
            for (; count < Math.Min(RowsTogether, requesters.Length - first) && requesters[first + count].Rank < RanksLooked; count++)
                _rows[count] = graph.Order[requesters[first + count].Node];
            Hold(_rows.AsSpan(0, count), lease);
            for (int i = 0; i < count; i++)
            {
                foreach (int other in graph.Nearest.Of(_rows[i], Neighbours))
                {
                    if (graph.PositionOf[other] / nodesPerPage == page)
                        CollectionsMarshal.GetValueRefOrAddDefault(_ties, requesters[first + i].Node, out _)++;
                }
            }
        }
    }

    private void Hold(ReadOnlySpan<int> rows, PageLease lease)
    {
        lease.Begin();
        graph.Nearest.Ask(lease, rows);
        lease.Fetch();
    }
}

using System.Runtime.InteropServices;
using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Layout;

/// <summary>Chooses of which nodes a page holds replicas: those of other pages that are tied to most of its nodes.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class ReplicaChooser
{
    /// <summary>Rows whose nearest rows are held together.</summary>
    public const int RowsTogether = 64;

    // Nearest points of a point that tie it to others, in both directions.
    private const int Neighbours = 16;

    // A node that is near several nodes of a page ranks it among its first.
    private const int RanksLooked = 8;

    private readonly MergedGraph _graph;
    private readonly Dictionary<uint, int> _ties = [];
    private readonly List<(int Ties, uint Node)> _ranked = [];
    private readonly uint[] _chosen;
    private readonly int[] _rows = new int[RowsTogether];

    /// <param name="graph">What pages are made of.</param>
    public ReplicaChooser(MergedGraph graph)
    {
        _graph = graph;
        _chosen = new uint[graph.Layout.ReplicasPerPage];
    }

    /// <summary>Chooses the replicas of a page.</summary>
    /// <param name="page">The page.</param>
    /// <param name="rows">Rows of its nodes.</param>
    /// <param name="applicants">Nodes that apply to it: those that it is near to are among them.</param>
    /// <param name="lease">Begun anew.</param>
    /// <returns>Internal ids, ascending; valid until the next call.</returns>
    public ReadOnlySpan<uint> Choose(int page, ReadOnlySpan<int> rows, ReadOnlySpan<LinkRequester> applicants, PageLease lease)
    {
        if (_chosen.Length == 0)
            return [];
        _ties.Clear();
        TieNeighbours(page, rows, lease);
        TieApplicants(page, applicants, lease);

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
        int nodesPerPage = _graph.Layout.NodesPerPage;
        for (int i = 0; i < rows.Length; i++)
        {
            if (i % RowsTogether == 0)
                Hold(rows.Slice(i, Math.Min(RowsTogether, rows.Length - i)), lease);
            foreach (int other in _graph.Nearest.Of(rows[i], Neighbours))
            {
                if (_graph.IdOf[other] / nodesPerPage != page)
                    CollectionsMarshal.GetValueRefOrAddDefault(_ties, (uint)_graph.IdOf[other], out _)++;
            }
        }
    }

    // Nodes of other pages that are near to those of the page.
    private void TieApplicants(int page, ReadOnlySpan<LinkRequester> applicants, PageLease lease)
    {
        int nodesPerPage = _graph.Layout.NodesPerPage;
        for (int first = 0; first < applicants.Length && applicants[first].Rank < RanksLooked; first += RowsTogether)
        {
            int count = 0;
            for (; count < Math.Min(RowsTogether, applicants.Length - first) && applicants[first + count].Rank < RanksLooked; count++)
                _rows[count] = _graph.Order[applicants[first + count].Node];
            Hold(_rows.AsSpan(0, count), lease);
            for (int i = 0; i < count; i++)
            {
                foreach (int other in _graph.Nearest.Of(_rows[i], Neighbours))
                {
                    if (_graph.IdOf[other] / nodesPerPage == page)
                        CollectionsMarshal.GetValueRefOrAddDefault(_ties, applicants[first + i].Node, out _)++;
                }
            }
        }
    }

    private void Hold(ReadOnlySpan<int> rows, PageLease lease)
    {
        lease.Begin();
        _graph.Nearest.Ask(lease, rows);
        lease.Fetch();
    }
}

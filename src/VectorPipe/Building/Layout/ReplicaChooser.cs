using System.Runtime.InteropServices;

namespace VectorPipe.Building.Layout;

/// <summary>Chooses of which nodes a page holds replicas: those of other pages that are tied to most of its nodes.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class ReplicaChooser
{
    // Nearest points of a point that tie it to others, in both directions.
    private const int Neighbours = 16;

    // A node that is near several nodes of a page ranks it among its first.
    private const int RanksLooked = 8;

    private readonly MergedGraph _graph;
    private readonly Dictionary<uint, int> _ties = [];
    private readonly List<(int Ties, uint Node)> _ranked = [];
    private readonly uint[] _chosen;

    public ReplicaChooser(MergedGraph graph)
    {
        _graph = graph;
        _chosen = new uint[graph.Layout.ReplicasPerPage];
    }

    /// <summary>Chooses the replicas of a page.</summary>
    /// <param name="page">The page.</param>
    /// <param name="rows">Rows of its nodes.</param>
    /// <param name="applicants">Nodes that apply to it: those that it is near to are among them.</param>
    /// <returns>Internal ids, ascending; valid until the next call.</returns>
    public ReadOnlySpan<uint> Choose(int page, ReadOnlySpan<int> rows, ReadOnlySpan<PageApplicant> applicants)
    {
        if (_chosen.Length == 0)
            return [];
        _ties.Clear();
        int nodesPerPage = _graph.Layout.NodesPerPage;
        foreach (int row in rows)
        {
            foreach (int other in _graph.NearestOf(row, Neighbours))
            {
                if (_graph.IdOf[other] / nodesPerPage != page)
                    CollectionsMarshal.GetValueRefOrAddDefault(_ties, (uint)_graph.IdOf[other], out _)++;
            }
        }

        foreach (PageApplicant applicant in applicants)
        {
            if (applicant.Rank >= RanksLooked)
                break;
            foreach (int other in _graph.NearestOf(_graph.Order[applicant.Node], Neighbours))
            {
                if (_graph.IdOf[other] / nodesPerPage == page)
                    CollectionsMarshal.GetValueRefOrAddDefault(_ties, applicant.Node, out _)++;
            }
        }

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
}

using System.Runtime.InteropServices;
using VectorPipe.Building.Paging;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Layout;

/// <summary>Chooses the links of a page in the page graph: to the pages tied most to its nodes, by the most tied node there.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class PageGraphChooser(MergedGraph graph)
{
    private const int Neighbours = 16;

    private readonly Dictionary<int, float> _pages = [];
    private readonly Dictionary<int, float> _nodes = [];
    private readonly Dictionary<int, (float Weight, int Node)> _best = [];
    private readonly List<(float Weight, int Page)> _ranked = [];
    private readonly List<uint> _chosen = [];

    /// <summary>Writes the links of a page, whose nodes have these rows, to <paramref name="block"/>.</summary>
    public void Write(int page, ReadOnlySpan<int> rows, PageLease lease, Span<byte> block)
    {
        if (block.IsEmpty)
            return;
        _pages.Clear();
        _nodes.Clear();
        foreach (int row in rows)
        {
            lease.Begin();
            graph.Nearest.Ask(lease, row, 1);
            graph.Graph.Links.Ask(lease, row, 1);
            lease.Fetch();
            ReadOnlySpan<int> nearest = graph.Nearest.Of(row, Neighbours);
            for (int i = 0; i < nearest.Length; i++)
                Add(page, graph.PositionOf[nearest[i]], 0.9f / (i + 3));
            foreach (int other in graph.Graph.Links.Links(row))
                Add(page, graph.PositionOf[other], 0.1f);
        }

        _best.Clear();
        foreach ((int node, float weight) in _nodes)
        {
            ref (float Weight, int Node) best =
                ref CollectionsMarshal.GetValueRefOrAddDefault(_best, node / graph.Fill, out bool exists);
            if (!exists || weight > best.Weight || (weight == best.Weight && node < best.Node))
                best = (weight, node);
        }

        _ranked.Clear();
        foreach ((int other, float weight) in _pages)
            _ranked.Add((weight, other));
        _ranked.Sort(static (a, b) => a.Weight != b.Weight ? b.Weight.CompareTo(a.Weight) : a.Page.CompareTo(b.Page));
        _chosen.Clear();
        for (int i = 0; i < Math.Min(_ranked.Count, PageGraphBlock.MaxLinks); i++)
            _chosen.Add(graph.IdAt((uint)_best[_ranked[i].Page].Node));
        PageGraphBlock.Write(CollectionsMarshal.AsSpan(_chosen), (uint)graph.Shape.Capacity, block);
    }

    private void Add(int page, int node, float weight)
    {
        int other = node / graph.Fill;
        if (other == page)
            return;
        CollectionsMarshal.GetValueRefOrAddDefault(_pages, other, out _) += weight;
        CollectionsMarshal.GetValueRefOrAddDefault(_nodes, node, out _) += weight;
    }
}

using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe.Building.Layout;

/// <summary>Puts the pages of the merged layout together: nodes, replicas, links, and the page's links in the page graph.</summary>
/// <remarks>Each page is a function of what is given here alone. Not thread-safe; one a thread.</remarks>
internal sealed class PageComposer : IDisposable
{
    private readonly MergedGraph _graph;
    private readonly GraphView _view;
    private readonly NodeLayout _layout;
    private readonly ReplicaChooser _replicas;
    private readonly PageLinkChooser _links;
    private readonly PageGraphChooser _pageGraph;
    private readonly byte[] _vector;

    /// <param name="graph">What pages are made of.</param>
    public PageComposer(MergedGraph graph)
    {
        _graph = graph;
        _view = graph.Graph.OpenView();
        _layout = graph.Layout;
        _vector = new byte[_layout.VectorBytes];
        _replicas = new ReplicaChooser(graph);
        _links = new PageLinkChooser(graph);
        _pageGraph = new PageGraphChooser(graph);
    }

    /// <summary>Composes a page.</summary>
    /// <param name="page">Its number.</param>
    /// <param name="applicants">Nodes that apply to it, those to which it matters most first.</param>
    /// <param name="bytes">Zeroed; receives the page, without header.</param>
    /// <param name="block">Zeroed; receives its links in the page graph.</param>
    /// <returns>Nodes of the page.</returns>
    public int Compose(int page, ReadOnlySpan<PageApplicant> applicants, Span<byte> bytes, Span<byte> block)
    {
        int first = page * _layout.NodesPerPage;
        ReadOnlySpan<int> rows = _graph.Order.AsSpan(first, Math.Min(_layout.NodesPerPage, _graph.Order.Length - first));
        for (int slot = 0; slot < rows.Length; slot++)
            WriteVector(bytes, slot, rows[slot]);

        ReadOnlySpan<uint> replicas = _replicas.Choose(page, rows, applicants);
        for (int i = 0; i < replicas.Length; i++)
            WriteVector(bytes, _layout.NodesPerPage + i, _graph.Order[replicas[i]]);

        NodePage.WriteReplicaIds(bytes, _layout, replicas);
        _links.Write(rows.Length, applicants, replicas, bytes);
        _view.Begin();
        _pageGraph.Write(page, rows, _view, block);
        return rows.Length;
    }

    /// <summary>Closes the view of the graph.</summary>
    public void Dispose() => _view.Dispose();

    private void WriteVector(Span<byte> page, int slot, int row)
    {
        VectorConversion.Convert(_graph.Records.Table.Type, _graph.Records.Vector(row), _layout.ElementType, _vector);
        NodePage.WriteVector(page, _layout, slot, _graph.Records.Key(row), _vector);
    }
}

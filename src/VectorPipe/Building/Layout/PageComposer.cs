using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Layout;

/// <summary>Puts the pages of the merged layout together: nodes, replicas, links, and the page's links in the page graph.</summary>
/// <remarks>Each page is a function of what is given here alone. Not thread-safe; one a thread.</remarks>
internal sealed class PageComposer : IDisposable
{
    /// <summary>Vectors that are held together.</summary>
    public const int RowsTogether = 16;

    private readonly MergedGraph _graph;
    private readonly PageLease _lease;
    private readonly NodeLayout _layout;
    private readonly ReplicaChooser _replicas;
    private readonly PageLinkChooser _links;
    private readonly PageGraphChooser _pageGraph;
    private readonly int[] _replicaRows;
    private readonly byte[] _vector;

    /// <param name="graph">What pages are made of.</param>
    public PageComposer(MergedGraph graph)
    {
        _graph = graph;
        _lease = graph.Rent();
        _layout = graph.Layout;
        _replicaRows = new int[_layout.ReplicasPerPage];
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
    public int Compose(int page, ReadOnlySpan<LinkRequester> applicants, Span<byte> bytes, Span<byte> block)
    {
        ReadOnlySpan<int> rows = _graph.RowsFrom(page * _layout.NodesPerPage, _layout.NodesPerPage);
        ReadOnlySpan<uint> replicas = _replicas.Choose(page, rows, applicants, _lease);
        WriteVectors(bytes, 0, rows);
        for (int i = 0; i < replicas.Length; i++)
            _replicaRows[i] = _graph.Order[replicas[i]];
        WriteVectors(bytes, _layout.NodesPerPage, _replicaRows.AsSpan(0, replicas.Length));
        NodePage.WriteReplicaIds(bytes, _layout, replicas);
        _links.Write(rows.Length, applicants, replicas, bytes);
        _pageGraph.Write(page, rows, _lease, block);

        // Whoever waits for more pages holds nothing.
        _lease.End();
        return rows.Length;
    }

    /// <summary>Returns the lease.</summary>
    public void Dispose() => _lease.Dispose();

    private void WriteVectors(Span<byte> page, int slot, ReadOnlySpan<int> rows)
    {
        for (int i = 0; i < rows.Length; i++)
        {
            if (i % RowsTogether == 0)
            {
                _lease.Begin();
                _graph.Records.Ask(_lease, rows.Slice(i, Math.Min(RowsTogether, rows.Length - i)));
                _lease.Fetch();
            }

            WriteVector(page, slot + i, rows[i]);
        }
    }

    private void WriteVector(Span<byte> page, int slot, int row)
    {
        VectorConversion.Convert(_graph.Records.Table.Type, _graph.Records.Vector(row), _layout.ElementType, _vector);
        NodePage.WriteVector(page, _layout, slot, _graph.Records.Key(row), _vector);
    }
}

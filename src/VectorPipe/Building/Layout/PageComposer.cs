using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Layout;

/// <summary>Composes merged pages: nodes, replicas, links, and the links of the page in the page graph.</summary>
/// <remarks>A page depends on the graph and its requesters alone. Not thread-safe; one a thread.</remarks>
internal sealed class PageComposer(MergedGraph graph) : IDisposable
{
    /// <summary>Vectors that are held together.</summary>
    public const int RowsTogether = 16;

    private readonly PageLease _lease = graph.Rent();
    private readonly NodeLayout _layout = graph.Layout;
    private readonly ReplicaChooser _replicas = new(graph);
    private readonly PageLinkChooser _links = new(graph);
    private readonly PageGraphChooser _pageGraph = new(graph);
    private readonly int[] _replicaRows = new int[graph.Layout.ReplicasPerPage];
    private readonly uint[] _replicaIds = new uint[graph.Layout.ReplicasPerPage];
    private readonly byte[] _vector = new byte[graph.Layout.VectorBytes];

    /// <summary>Composes a page without header, and its block of the page graph, into zeroed spans; returns its nodes.</summary>
    public int Compose(int page, ReadOnlySpan<LinkRequester> requesters, Span<byte> bytes, Span<byte> block)
    {
        ReadOnlySpan<int> rows = graph.RowsFrom(page * graph.Fill, graph.Fill);
        ReadOnlySpan<uint> replicas = _replicas.Choose(page, rows, requesters, _lease);
        WriteVectors(bytes, 0, rows);
        for (int i = 0; i < replicas.Length; i++)
        {
            _replicaRows[i] = graph.Order[replicas[i]];
            _replicaIds[i] = graph.IdAt(replicas[i]);
        }

        WriteVectors(bytes, _layout.NodesPerPage, _replicaRows.AsSpan(0, replicas.Length));
        NodePage.WriteReplicaIds(bytes, _layout, _replicaIds.AsSpan(0, replicas.Length));
        _links.Write(rows.Length, requesters, replicas, bytes);
        _pageGraph.Write(page, rows, _lease, block);

        // Release the rows before waiting for the next page.
        _lease.End();
        return rows.Length;
    }

    public void Dispose() => _lease.Dispose();

    private void WriteVectors(Span<byte> page, int slot, ReadOnlySpan<int> rows)
    {
        for (int i = 0; i < rows.Length; i++)
        {
            if (i % RowsTogether == 0)
            {
                _lease.Begin();
                graph.Records.Ask(_lease, rows.Slice(i, Math.Min(RowsTogether, rows.Length - i)));
                _lease.Fetch();
            }

            WriteVector(page, slot + i, rows[i]);
        }
    }

    private void WriteVector(Span<byte> page, int slot, int row)
    {
        VectorConversion.Convert(graph.Records.Table.Type, graph.Records.Vector(row), _layout.ElementType, _vector);
        NodePage.WriteVector(page, _layout, slot, graph.Records.Key(row), _vector);
    }
}

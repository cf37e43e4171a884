using VectorPipe.Numerics.Conversion;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Exporting;

/// <summary>Takes pages apart into vectors, keys and links for the files of an export.</summary>
/// <remarks>Not thread-safe; one instance per export, reused for every run of pages.</remarks>
internal sealed class ExportBatch
{
    private const int BytesTarget = 1 << 20;

    private readonly ExportSource _source;
    private readonly IndexSchema _schema;
    private readonly NodeLayout _layout;
    private readonly byte[] _vectors;
    private readonly ulong[] _keys;
    private readonly uint[] _links;
    private int _count;

    public ExportBatch(ExportSource source)
    {
        _source = source;
        _schema = source.Schema;
        _layout = source.Layout;
        int capacity = Math.Max(1, BytesTarget / _layout.PageSize) * _layout.NodesPerPage;
        _vectors = new byte[capacity * _schema.VectorBytes];
        _keys = new ulong[capacity];
        _links = new uint[_layout.MaxListLength];
    }

    /// <summary>The vectors, one directly after the other.</summary>
    public ReadOnlyMemory<byte> Vectors => _vectors.AsMemory(0, _count * _schema.VectorBytes);

    public ReadOnlyMemory<ulong> Keys => _keys.AsMemory(0, _count);

    /// <summary>Takes the next pages, as many as there is room for; link lists go to the graph at once.</summary>
    /// <param name="pages">The node pages; at least one is left.</param>
    /// <param name="graph">Receives the links, node by node; null to omit them.</param>
    /// <param name="cancellationToken">Ends the wait for a page.</param>
    public void Fill(PageScan pages, GraphFileWriter? graph, CancellationToken cancellationToken)
    {
        _count = 0;
        while (_count + _layout.NodesPerPage <= _keys.Length && pages.TryGetNext(out ReadBuffer page, cancellationToken))
            Add(page, graph);
        if (_count == 0)
            throw new IndexCorruptException(_source.Path, $"expected {_schema.Count} vectors, found fewer");
    }

    private unsafe void Add(in ReadBuffer page, GraphFileWriter? graph)
    {
        long number = page.State;
        var nodes = new NodePage(page.Pointer, _layout);
        if (FindDefect(nodes, number) is { } defect)
            throw new IndexCorruptException(_source.Path, number, defect);
        for (int slot = 0; slot < nodes.Count; slot++)
        {
            CopyVector(nodes, slot, ((number - 1) * _layout.NodesPerPage) + slot);
            _keys[_count++] = nodes.Key(slot);
            if (graph is null)
                continue;
            if (!nodes.TryReadLinks(slot, (uint)_schema.IdCount, _links))
                throw new IndexCorruptException(
                    _source.Path, number, $"expected a list of links below {_schema.IdCount} in slot {slot}, found other bytes");
            Span<uint> links = _links.AsSpan(0, nodes.LinkCount(slot));
            foreach (ref uint link in links)
                link = (uint)_schema.PositionOf(link);
            graph.Append(links);
        }
    }

    private void CopyVector(NodePage page, int slot, long id)
    {
        Span<byte> target = _vectors.AsSpan(_count * _schema.VectorBytes, _schema.VectorBytes);
        if (_source.Originals is not { } originals)
            VectorConversion.Convert(_layout.ElementType, page.Vector(slot), _schema.ElementType, target);
        else
            originals.Read(id, page.Key(slot)).CopyTo(target);
    }

    private string? FindDefect(NodePage page, long number)
    {
        if (_source.Check.FindDefect(page, number - 1, keys: null) is { } found)
            return found;
        for (int slot = 0; slot < page.Count; slot++)
        {
            // Rows follow internal ids, so the export can neither write nor omit a deleted node.
            if (page.State(slot) != NodeState.Live)
                return $"expected a live node in slot {slot}, found {page.State(slot)}";
        }

        return null;
    }
}

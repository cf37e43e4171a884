using VectorPipe.Formats;
using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>The nodes of a run of pages, taken apart for the files of an export.</summary>
/// <remarks>Not thread-safe; one instance an export, reused for every run.</remarks>
internal sealed class ExportBatch
{
    private readonly IndexSchema _schema;
    private readonly NodeLayout _layout;
    private readonly PageFileReader _nodes;
    private readonly GivenVectorReader? _given;
    private readonly ListCheck? _lists;
    private readonly byte[] _vectors;
    private readonly ulong[] _keys;
    private readonly uint[] _links;
    private int _count;

    /// <param name="schema">What the index holds.</param>
    /// <param name="layout">Where things lie in a node page.</param>
    /// <param name="nodes">The node file.</param>
    /// <param name="given">The vectors as they were given; null if node pages hold them, or if they were dropped.</param>
    /// <param name="lists">What pages of lists are held against; null for a graph.</param>
    public ExportBatch(IndexSchema schema, NodeLayout layout, PageFileReader nodes, GivenVectorReader? given, ListCheck? lists)
    {
        _lists = lists;
        _given = given;
        _schema = schema;
        _layout = layout;
        _nodes = nodes;
        int capacity = nodes.MaxPages * layout.NodesPerPage;
        _vectors = new byte[capacity * schema.VectorBytes];
        _keys = new ulong[capacity];
        _links = new uint[layout.MaxListLength];
    }

    /// <summary>The vectors that were read last, one directly after the other.</summary>
    public ReadOnlyMemory<byte> Vectors => _vectors.AsMemory(0, _count * _schema.VectorBytes);

    /// <summary>Their keys.</summary>
    public ReadOnlyMemory<ulong> Keys => _keys.AsMemory(0, _count);

    /// <summary>Reads and verifies pages; link lists go to the graph at once.</summary>
    /// <param name="first">Number of the first page in its file.</param>
    /// <param name="pages">How many.</param>
    /// <param name="graph">Receives the links, node by node; null if they are left out.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    public unsafe void Read(long first, int pages, GraphFileWriter? graph)
    {
        _count = 0;
        fixed (byte* start = _nodes.ReadPages(first, pages))
        {
            for (int i = 0; i < pages; i++)
            {
                byte* bytes = start + ((nint)i * _layout.PageSize);
                PageCodec.Verify(_nodes.FilePath, new ReadOnlySpan<byte>(bytes, _layout.PageSize), _layout.PageKind, _nodes.Identity(first + i));
                var page = new NodePage(bytes, _layout);
                if (FindDefect(page, first + i) is { } defect)
                    throw new IndexCorruptException(_nodes.FilePath, first + i, defect);
                for (int slot = 0; slot < page.Count; slot++)
                {
                    CopyVector(page, slot, (first + i - 1) * _layout.NodesPerPage + slot);
                    _keys[_count++] = page.Key(slot);
                    if (graph is null)
                        continue;
                    if (!page.TryReadLinks(slot, (uint)_schema.Count, _links))
                        throw new IndexCorruptException(_nodes.FilePath, first + i, $"expected a list of links below {_schema.Count} in slot {slot}, found other bytes");
                    graph.Append(_links.AsSpan(0, page.LinkCount(slot)));
                }
            }
        }
    }

    private void CopyVector(NodePage page, int slot, long id)
    {
        Span<byte> target = _vectors.AsSpan(_count * _schema.VectorBytes, _schema.VectorBytes);
        if (_given is null)
            VectorConversion.Convert(_layout.ElementType, page.Vector(slot), _schema.ElementType, target);
        else
            _given.Read(id, page.Key(slot), together: true).CopyTo(target);
    }

    private string? FindDefect(NodePage page, long number)
    {
        string? found = _lists is null ? IndexVerifier.FindDefect(page, _schema, _layout, keys: null, number - 1) : _lists.FindDefect(page, (uint)(number - 1), keys: null);
        if (found is not null)
            return found;
        for (int slot = 0; slot < page.Count; slot++)
        {
            // Rows are internal ids, so a deleted node can be neither written nor left out.
            if (page.State(slot) != NodeState.Live)
                return $"expected a live node in slot {slot}, found {page.State(slot)}";
        }

        return null;
    }
}

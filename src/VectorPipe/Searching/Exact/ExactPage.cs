using VectorPipe.Searching.Index;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Searching.Exact;

/// <summary>A view of the vectors of a page: the nodes of a node page, or a page of original vectors.</summary>
internal readonly unsafe ref struct ExactPage
{
    private readonly NodePage _nodes;
    private readonly OriginalVectorPage _originals;
    private readonly bool _isOriginal;
    private readonly GraphChanges? _changes;
    private readonly SearchIndex _index;
    private readonly long _first;

    /// <param name="index">The index.</param>
    /// <param name="page">A verified page of the file that the scan reads.</param>
    /// <param name="changes">What checkpoints changed of the graph; null for nothing.</param>
    /// <param name="number">Number of the page, the header not counted.</param>
    public ExactPage(SearchIndex index, byte* page, GraphChanges? changes = null, uint number = 0)
    {
        _changes = changes;
        _index = index;
        _first = (long)number * index.Layout.NodesPerPage;
        if (changes is null && index.Vectors is { } layout)
        {
            _isOriginal = true;
            _first = (long)number * layout.VectorsPerPage;
            _originals = new OriginalVectorPage(new ReadOnlySpan<byte>(page, layout.PageSize), layout);
            FirstVector = page + layout.VectorOffset;
            Stride = layout.VectorStride;
            Count = _originals.Count;
        }
        else
        {
            _nodes = new NodePage(page, index.Layout);
            FirstVector = _nodes.FirstVector;
            Stride = index.Layout.VectorStride;
            Count = _nodes.Count;
        }
    }

    public byte* FirstVector { get; }

    /// <summary>Bytes from one vector to the next.</summary>
    public int Stride { get; }

    public int Count { get; }

    /// <summary>Whether a vector was not deleted.</summary>
    public bool IsLive(int slot) =>
        _isOriginal || (_nodes.State(slot) == NodeState.Live && (_changes is null || _changes.IsLive(Id(slot))));

    /// <summary>The internal id of a vector.</summary>
    public uint Id(int slot) => (uint)(_isOriginal ? _index.Schema.IdOf(_first + slot) : _first + slot);

    public ulong Key(int slot) => _isOriginal ? _originals.Key(slot) : _nodes.Key(slot);
}

using VectorPipe.Searching.Index;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Searching.Exact;

/// <summary>
/// The vectors of a page that an exact scan has read: those of a node page's own nodes, or of a page of the vectors as they were given.
/// </summary>
/// <remarks>A view: valid as long as the bytes are.</remarks>
internal readonly unsafe ref struct ExactPage
{
    private readonly NodePage _nodes;
    private readonly OriginalVectorPage _given;
    private readonly bool _isGiven;

    /// <param name="index">The index.</param>
    /// <param name="page">A verified page of the file that the scan reads.</param>
    public ExactPage(SearchIndex index, byte* page)
    {
        if (index.Vectors is { } layout)
        {
            _isGiven = true;
            _given = new OriginalVectorPage(new ReadOnlySpan<byte>(page, layout.PageSize), layout);
            FirstVector = page + layout.VectorOffset;
            Stride = layout.VectorStride;
            Count = _given.Count;
        }
        else
        {
            _nodes = new NodePage(page, index.Layout);
            FirstVector = _nodes.FirstVector;
            Stride = index.Layout.VectorStride;
            Count = _nodes.Count;
        }
    }

    /// <summary>First byte of the first vector.</summary>
    public byte* FirstVector { get; }

    /// <summary>Bytes from one vector to the next.</summary>
    public int Stride { get; }

    /// <summary>Vectors.</summary>
    public int Count { get; }

    /// <summary>Whether a vector was not deleted.</summary>
    public bool IsLive(int slot) => _isGiven || _nodes.State(slot) == NodeState.Live;

    /// <summary>The caller's identity of a vector.</summary>
    public ulong Key(int slot) => _isGiven ? _given.Key(slot) : _nodes.Key(slot);
}

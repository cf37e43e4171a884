using System.Diagnostics;

namespace VectorPipe.Building.Graphs;

/// <summary>A finished graph: links between rows, in an order that the builder chose.</summary>
/// <remarks>Owns its tables; freed by <see cref="Dispose"/>.</remarks>
internal sealed class BuiltGraph : IDisposable
{
    private readonly Func<GraphView> _openView;
    private readonly IDisposable[] _owned;
    private readonly bool _isBorrowed;
    private IDisposable? _vectors;
    private bool _areVectorsFreed;

    /// <param name="links">The links.</param>
    /// <param name="entry">The row at which searches enter.</param>
    /// <param name="points">The point of each row; null if row i is point i.</param>
    /// <param name="records">Vectors and keys, as they are written.</param>
    /// <param name="openView">Opens a view for one thread.</param>
    /// <param name="vectors">What only distances need; null if there is nothing to free before the graph.</param>
    /// <param name="owned">What is freed with the graph.</param>
    public BuiltGraph(
        LinkTable links, int entry, int[]? points, GraphRecords records, Func<GraphView> openView, IDisposable? vectors,
        params IDisposable[] owned)
    {
        Links = links;
        Entry = entry;
        Points = points;
        Records = records;
        _openView = openView;
        _vectors = vectors;
        _owned = owned;
    }

    private BuiltGraph(BuiltGraph owner)
        : this(owner.Links, owner.Entry, owner.Points, owner.Records, owner._openView, vectors: null)
    {
        Nearest = owner.Nearest;
        _isBorrowed = true;
    }

    public LinkTable Links { get; }

    /// <summary>The row at which searches enter.</summary>
    public int Entry { get; }

    /// <summary>The point of each row; null if row i is point i. Neighbouring rows hold near points.</summary>
    public int[]? Points { get; }

    public GraphRecords Records { get; }

    /// <summary>Nearest candidates of each row; null unless requested.</summary>
    public NearestTable? Nearest { get; init; }

    public int PointOf(int row) => Points is null ? row : Points[row];

    /// <summary>Opens a view of links and distances for one thread.</summary>
    public GraphView OpenView()
    {
        Debug.Assert(!_areVectorsFreed, "a graph without vectors has no distances");
        return _openView();
    }

    /// <summary>Frees what only distances need: the last view was opened. A borrowed graph keeps them.</summary>
    public void FreeVectors()
    {
        _areVectorsFreed = !_isBorrowed;
        _vectors?.Dispose();
        _vectors = null;
    }

    /// <summary>The same graph, which frees nothing; the owner must outlive it.</summary>
    public BuiltGraph Borrow() => new(this);

    public void Dispose()
    {
        if (_isBorrowed)
            return;
        Nearest?.Dispose();
        Links.Dispose();
        _vectors?.Dispose();
        foreach (IDisposable owned in _owned)
            owned.Dispose();
    }
}

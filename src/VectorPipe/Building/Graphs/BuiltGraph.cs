namespace VectorPipe.Building.Graphs;

/// <summary>A graph as a builder leaves it: links between rows, which stand in an order of the builder's choice.</summary>
/// <remarks>Owns what it is given. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class BuiltGraph : IDisposable
{
    private readonly IDisposable[] _owned;
    private readonly bool _isBorrowed;

    /// <param name="links">The links, row to row.</param>
    /// <param name="entry">The row at which a search enters.</param>
    /// <param name="points">The point of each row; null if row i is point i.</param>
    /// <param name="records">Vectors and keys.</param>
    /// <param name="openView">Opens a view for a thread.</param>
    /// <param name="owned">What goes with the graph, besides the links.</param>
    public BuiltGraph(LinkTable links, int entry, int[]? points, GraphRecords records, Func<GraphView> openView, params IDisposable[] owned)
    {
        Links = links;
        Entry = entry;
        Points = points;
        Records = records;
        OpenView = openView;
        _owned = owned;
    }

    private BuiltGraph(BuiltGraph owner)
        : this(owner.Links, owner.Entry, owner.Points, owner.Records, owner.OpenView)
    {
        Nearest = owner.Nearest;
        _isBorrowed = true;
    }

    /// <summary>The links, row to row.</summary>
    public LinkTable Links { get; }

    /// <summary>The row at which a search enters.</summary>
    public int Entry { get; }

    /// <summary>The point of each row, near rows being near points; null if row i is point i.</summary>
    public int[]? Points { get; }

    /// <summary>Vectors and keys of the rows.</summary>
    public GraphRecords Records { get; }

    /// <summary>Opens a view of the links and the distances between rows, for one thread.</summary>
    public Func<GraphView> OpenView { get; }

    /// <summary>Each row's nearest candidates, if they were asked for.</summary>
    public NearestTable? Nearest { get; init; }

    /// <summary>The point of a row.</summary>
    public int PointOf(int row) => Points is null ? row : Points[row];

    /// <summary>The same graph, which frees nothing: for several indexes of one graph. This one outlives it.</summary>
    public BuiltGraph Borrow() => new(this);

    /// <summary>Frees everything.</summary>
    public void Dispose()
    {
        if (_isBorrowed)
            return;
        Nearest?.Dispose();
        Links.Dispose();
        foreach (IDisposable owned in _owned)
            owned.Dispose();
    }
}

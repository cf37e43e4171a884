namespace VectorPipe.Building.Graphs;

/// <summary>A finished graph: links between rows, in an order that the builder chose.</summary>
/// <remarks>Owns its tables; freed by <see cref="Dispose"/>.</remarks>
internal sealed class BuiltGraph : IDisposable
{
    private readonly IDisposable[] _owned;
    private readonly bool _isBorrowed;

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

    public LinkTable Links { get; }

    /// <summary>The row at which searches enter.</summary>
    public int Entry { get; }

    /// <summary>The point of each row; null if row i is point i. Neighbouring rows hold near points.</summary>
    public int[]? Points { get; }

    public GraphRecords Records { get; }

    /// <summary>Opens a view of links and distances for one thread.</summary>
    public Func<GraphView> OpenView { get; }

    /// <summary>Nearest candidates of each row; null unless requested.</summary>
    public NearestTable? Nearest { get; init; }

    public int PointOf(int row) => Points is null ? row : Points[row];

    /// <summary>The same graph, which frees nothing; the owner must outlive it.</summary>
    public BuiltGraph Borrow() => new(this);

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

using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>What the phases of a graph hand on to each other.</summary>
/// <param name="parameters">Degree, list size, alpha, seed; threads are those of the run.</param>
/// <param name="options">How to go about the work.</param>
internal class GraphWork(GraphParameters parameters, PartitionedOptions options) : BuildWork
{
    private LinkTable? _free;
    private int _tables;

    /// <summary>Degree, list size, alpha, seed.</summary>
    public GraphParameters Parameters => parameters;

    /// <summary>How to go about the work.</summary>
    public PartitionedOptions Options => options;

    /// <summary>The leaves.</summary>
    public LeafMap? Map { get; set; }

    /// <summary>The point at which searches enter, in the order of the source.</summary>
    public int EntryPoint { get; set; }

    /// <summary>Vectors and records in leaf order.</summary>
    public LeafOrder? Order { get; set; }

    /// <summary>What all phases behind the leaves read.</summary>
    public BuildContext? Context { get; set; }

    /// <summary>The links, as the phase before left them.</summary>
    public LinkTable? Links { get; set; }

    /// <summary>Nearest points of each point; null if they are not asked for.</summary>
    public NearestTable? Nearest { get; set; }

    /// <summary>Links in the order of their targets; null if they are found by scanning.</summary>
    public SortedInLinks? InLinks { get; set; }

    /// <summary>The graph, once all links are there.</summary>
    public BuiltGraph? Graph { get; set; }

    /// <summary>What all phases behind the leaves read.</summary>
    public BuildContext RequireContext() => Context ?? throw new InvalidOperationException("Leaves come before links.");

    /// <summary>The finished graph.</summary>
    public BuiltGraph RequireGraph() => Graph ?? throw new InvalidOperationException("The graph comes before what is made of it.");

    /// <summary>
    /// The table that receives the next links: in memory the one that was read before last, on disk a new one, which is cheaper than
    /// reading the old.
    /// </summary>
    public LinkTable BeginLinks()
    {
        BuildContext context = RequireContext();
        return _free ??= new LinkTable(context.Count, parameters.MaxDegree, context.Paging, $"links-{++_tables}");
    }

    /// <summary>Makes the table of <see cref="BeginLinks"/> the links.</summary>
    /// <param name="isLast">Whether no further table is written.</param>
    public void EndLinks(bool isLast = false)
    {
        (Links, _free) = (_free, Links);
        if (!isLast && Context!.Paging is null)
            return;
        _free?.Dispose();
        _free = null;
    }

    /// <summary>Makes a graph of links, vectors and records, which it owns from now on.</summary>
    public void HandOver()
    {
        BuildContext context = RequireContext();
        LinkTable links = Links!;
        LeafOrder order = Order!;
        Graph = new BuiltGraph(
            links, context.Entry, context.Map.Points, order.Records, () => OpenView(links, order.Vectors, context.Paging),
            order)
        { Nearest = Nearest };
        Links = null;
        Order = null;
        Nearest = null;
    }

    /// <summary>Takes the graph out; the caller owns it.</summary>
    public BuiltGraph TakeGraph()
    {
        BuiltGraph graph = RequireGraph();
        Graph = null;
        return graph;
    }

    /// <inheritdoc/>
    public override void Release()
    {
        InLinks?.Dispose();
        Graph?.Dispose();
        Nearest?.Dispose();
        Links?.Dispose();
        _free?.Dispose();
        Order?.Dispose();
        Map?.Dispose();
        InLinks = null;
        Graph = null;
        Nearest = null;
        Links = _free = null;
        Order = null;
        Map = null;
        base.Release();
    }

    private static GraphView OpenView(LinkTable links, VectorTable vectors, PagedMemory? paging)
    {
        PageLease lease = PageLease.Rent(paging);
        return new GraphView(links, new TableDistances(vectors, lease), lease);
    }
}

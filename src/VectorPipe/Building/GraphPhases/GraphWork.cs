using System.Diagnostics;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>State that the phases of a graph hand on to each other.</summary>
internal class GraphWork(GraphParameters parameters, PartitionedOptions options) : BuildWork
{
    private LinkTable? _free;
    private int _tables;

    /// <summary>Parameters of the graph; the run sets the number of threads.</summary>
    public GraphParameters Parameters => parameters;

    public PartitionedOptions Options => options;

    public LeafMap? Map { get; set; }

    /// <summary>The point at which searches enter, by its number in the source.</summary>
    public int EntryPoint { get; set; }

    /// <summary>Vectors and records in leaf order.</summary>
    public LeafOrder? Order { get; set; }

    /// <summary>The state that all phases after the leaves read.</summary>
    public BuildContext? Context { get; set; }

    /// <summary>The links as the previous phase left them.</summary>
    public LinkTable? Links { get; set; }

    /// <summary>Nearest points of each point; null unless requested.</summary>
    public NearestTable? Nearest { get; set; }

    /// <summary>Links by target; null if the merge scans all links for them.</summary>
    public ShuffledInLinks? InLinks { get; set; }

    /// <summary>The graph, after the last links.</summary>
    public BuiltGraph? Graph { get; set; }

    public BuildContext RequireContext() => Context ?? throw new InvalidOperationException("Leaves come before links.");

    public BuiltGraph RequireGraph() => Graph ?? throw new InvalidOperationException("The graph comes before what is made of it.");

    /// <summary>
    /// The table for the next links: in memory the one before last, on disk a new one, which is cheaper than reading the old.
    /// </summary>
    public LinkTable BeginLinks()
    {
        BuildContext context = RequireContext();
        return _free ??= new LinkTable(context.Count, parameters.MaxDegree, context.Paging, $"links-{++_tables}");
    }

    /// <summary>Makes the table of <see cref="BeginLinks"/> the links; after the last one the other table is freed.</summary>
    public void EndLinks(bool isLast = false)
    {
        (Links, _free) = (_free, Links);
        if (!isLast && Context!.Paging is null)
            return;
        _free?.Dispose();
        _free = null;
    }

    /// <summary>Takes over links that an earlier build has made.</summary>
    public void TakeLinks(LinkTable links)
    {
        Debug.Assert(Links is null && _free is null, "nothing was linked yet");
        Links = links;
    }

    /// <summary>Frees what only phases of the graph read.</summary>
    public void EndGraph()
    {
        Map!.Dispose();
        Map = null;
        Context = null;
    }

    /// <summary>Makes a graph that owns links, vectors and records.</summary>
    public void HandOver()
    {
        BuildContext context = RequireContext();
        LinkTable links = Links!;
        LeafOrder order = Order!;
        Graph = new BuiltGraph(
            links, context.Entry, context.Map.Points, order.Records, () => OpenView(links, order.Vectors, context.Paging), order.Vectors,
            order.Records.Table)
        {
            Nearest = Nearest,
        };
        Links = null;
        Order = null;
        Nearest = null;
    }

    /// <summary>Hands the graph to the caller, who owns it.</summary>
    public BuiltGraph TakeGraph()
    {
        BuiltGraph graph = RequireGraph();
        Graph = null;
        return graph;
    }

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

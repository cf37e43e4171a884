using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Layout;

/// <summary>The content of merged pages.</summary>
/// <param name="Layout">The layout of a page.</param>
/// <param name="Shape">The division of a page.</param>
/// <param name="Graph">The graph.</param>
/// <param name="Nearest">Nearest rows of each row.</param>
/// <param name="Order">Internal id to row.</param>
/// <param name="IdOf">Row to internal id.</param>
/// <param name="Paging">Pages graph, nearest rows and records; null if they are in memory.</param>
internal sealed record MergedGraph(
    NodeLayout Layout, MergedPageLayout Shape, BuiltGraph Graph, NearestTable Nearest, int[] Order, int[] IdOf, PagedMemory? Paging)
{
    /// <summary>The same with a code of link lists that fits its links.</summary>
    public MergedGraph WithFittedCode()
    {
        MergedPageLayout shape = Shape with { Links = LinkCodeFitter.Fit(this) };
        return this with { Shape = shape, Layout = Layout.WithLinkCode(shape.Links) };
    }

    public GraphRecords Records => Graph.Records;

    public int PageCount => (int)Layout.PageCount(Order.Length);

    /// <summary>Rows of the nodes from one on, at most so many.</summary>
    public ReadOnlySpan<int> RowsFrom(int id, int most) => Order.AsSpan(id, Math.Min(most, Order.Length - id));

    public PageLease Rent() => PageLease.Rent(Paging);
}

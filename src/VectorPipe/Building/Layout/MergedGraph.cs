using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Layout;

/// <summary>What the pages of the merged layout are made of.</summary>
/// <param name="Layout">Where things lie in a page.</param>
/// <param name="Shape">How a page is divided.</param>
/// <param name="Graph">The graph.</param>
/// <param name="Nearest">Nearest rows of each row.</param>
/// <param name="Order">Internal id to row.</param>
/// <param name="IdOf">Row to internal id.</param>
/// <param name="Paging">Where graph, nearest rows and records are paged; null if they are in memory.</param>
internal sealed record MergedGraph(
    NodeLayout Layout, MergedPageLayout Shape, BuiltGraph Graph, NearestTable Nearest, int[] Order, int[] IdOf, PagedMemory? Paging)
{
    /// <summary>The same with the code of link lists that suits its links.</summary>
    public MergedGraph WithFittedCode()
    {
        MergedPageLayout shape = Shape with { Links = LinkCodeFitter.Fit(this) };
        return this with { Shape = shape, Layout = Layout.WithLinkCode(shape.Links) };
    }

    /// <summary>Vectors and keys of the rows.</summary>
    public GraphRecords Records => Graph.Records;

    /// <summary>Pages.</summary>
    public int PageCount => (int)Layout.PageCount(Order.Length);

    /// <summary>Rows of the nodes from one on.</summary>
    public ReadOnlySpan<int> RowsFrom(int id, int most) => Order.AsSpan(id, Math.Min(most, Order.Length - id));

    /// <summary>Rents a lease for a thread.</summary>
    public PageLease Rent() => PageLease.Rent(Paging);
}

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
/// <param name="Order">Position to row. Positions count the nodes in the order of their internal ids, which may have gaps.</param>
/// <param name="PositionOf">Row to position.</param>
/// <param name="Paging">Pages graph, nearest rows and records; null if they are in memory.</param>
internal sealed record MergedGraph(
    NodeLayout Layout, MergedPageLayout Shape, BuiltGraph Graph, NearestTable Nearest, int[] Order, int[] PositionOf, PagedMemory? Paging)
{
    /// <summary>The same with a code of link lists that fits its links.</summary>
    public MergedGraph WithFittedCode()
    {
        MergedPageLayout shape = Shape with { Links = LinkCodeFitter.Fit(this) };
        return this with { Shape = shape, Layout = Layout.WithLinkCode(shape.Links) };
    }

    public GraphRecords Records => Graph.Records;

    public int PageCount => (int)Layout.PageCount(Order.Length);

    /// <summary>Nodes of a page, but for the last.</summary>
    public int Fill => Layout.Fill;

    /// <summary>The internal id of the node at a position.</summary>
    public uint IdAt(uint position) => (uint)Shape.IdOf(position);

    /// <summary>Rows of the nodes from a position on, at most so many.</summary>
    public ReadOnlySpan<int> RowsFrom(int position, int most) => Order.AsSpan(position, Math.Min(most, Order.Length - position));

    public PageLease Rent() => PageLease.Rent(Paging);
}

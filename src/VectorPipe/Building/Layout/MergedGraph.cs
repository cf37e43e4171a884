using VectorPipe.Storage;

namespace VectorPipe.Building.Layout;

/// <summary>What the pages of the merged layout are made of.</summary>
/// <param name="Layout">Where things lie in a page.</param>
/// <param name="Shape">How a page is divided.</param>
/// <param name="Graph">The graph.</param>
/// <param name="Nearest">Nearest rows of each row.</param>
/// <param name="Order">Internal id to row.</param>
/// <param name="IdOf">Row to internal id.</param>
internal sealed record MergedGraph(NodeLayout Layout, MergedShape Shape, BuiltGraph Graph, NearestLists Nearest, int[] Order, int[] IdOf)
{
    /// <summary>The same with the code of link lists that suits its links.</summary>
    public MergedGraph WithFittedCode()
    {
        MergedShape shape = Shape with { Links = LinkCodeFitter.Fit(this) };
        return this with { Shape = shape, Layout = Layout.WithLinkCode(shape.Links) };
    }

    /// <summary>Vectors and keys of the rows.</summary>
    public GraphRecords Records => Graph.Records;

    /// <summary>Pages.</summary>
    public int PageCount => (int)Layout.PageCount(Order.Length);

    /// <summary>The nearest rows of a row, nearest first.</summary>
    public ReadOnlySpan<int> NearestOf(int row, int most)
    {
        ReadOnlySpan<int> list = Nearest.Of(row)[..Math.Min(most, Nearest.Length)];
        int end = list.IndexOf(-1);
        return end < 0 ? list : list[..end];
    }
}

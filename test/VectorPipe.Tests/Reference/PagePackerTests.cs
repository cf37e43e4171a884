using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Reference.Plain;
using VectorPipe.Reference.Vamana;
using VectorPipe.Tests.Building;

namespace VectorPipe.Tests.Reference;

internal sealed class PagePackerTests
{
    private const int Seed = 411;
    private const int NodesPerPage = 10;

    [Test]
    public void Every_point_has_one_position([Values(1, 7, 10, 5000)] int nodesPerPage)
    {
        using BuiltGraph graph = Build(1005);

        int[] order = Order(graph, nodesPerPage);

        Assert.That(order, Is.EquivalentTo(Enumerable.Range(0, 1005)));
    }

    [Test]
    public void A_page_holds_many_times_more_links_of_its_own_nodes_than_in_random_order()
    {
        using BuiltGraph graph = Build(3000);
        int[] random = [.. Enumerable.Range(0, 3000)];
        new Random(Seed).Shuffle(random);

        int[] packed = Order(graph, NodesPerPage);

        double share = PagePacker.ShareWithinPages(graph.Links, packed, NodesPerPage);
        Assert.That(share, Is.GreaterThan(20 * PagePacker.ShareWithinPages(graph.Links, random, NodesPerPage)), $"seed {Seed}");
    }

    [Test]
    public void Groups_as_large_as_a_page_get_one_page_each()
    {
        // Four groups of five on a line; the numbers of a group's members are 4 apart. Neighbours in a group are linked, and one link joins
        // each two groups.
        float[][] line = [.. Enumerable.Range(0, 20).Select(i => new float[] { i % 4 * 100 + i / 4 })];
        using PointSet points = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, line).ToPointSet();
        using var graph = new LinkTable(20, 5);
        for (int i = 0; i < 20; i++)
            graph.SetLinks(i, [.. Enumerable.Range(0, 20).Where(j => j != i && j % 4 == i % 4), (i + 1) % 20]);

        using var view = new GraphView(graph, points, PageLease.Rent(null));
        int[] order = PagePacker.Order(view, entry: 0, nodesPerPage: 5, onRows: null, CancellationToken.None);

        Assert.That(order.Chunk(5).Select(page => page.Select(point => point % 4).Distinct().Count()), Has.All.EqualTo(1));
        Assert.That(PagePacker.ShareWithinPages(graph, order, 5), Is.EqualTo(0.8).Within(1e-9));
    }

    [Test]
    public void Points_without_in_links_are_packed()
    {
        using PointSet points = Points(25);
        using var view = new GraphView(new LinkTable(25, 4), points, PageLease.Rent(null));

        int[] order = PagePacker.Order(view, entry: 0, NodesPerPage, onRows: null, CancellationToken.None);

        Assert.That(order, Is.EquivalentTo(Enumerable.Range(0, 25)));
    }

    [Test]
    public void The_same_graph_gives_the_same_order()
    {
        using BuiltGraph graph = Build(1000);

        int[] first = Order(graph, NodesPerPage);

        Assert.That(Order(graph, NodesPerPage), Is.EqualTo(first));
    }

    [Test]
    public void All_points_are_reported([Values(1, 25, 5000)] int count)
    {
        using PointSet points = Points(count);
        using var view = new GraphView(new LinkTable(count, 4), points, PageLease.Rent(null));
        int told = 0;

        PagePacker.Order(view, entry: 0, NodesPerPage, rows => told += rows, CancellationToken.None);

        Assert.That(told, Is.EqualTo(count));
    }

    [Test]
    public void A_cancelled_packing_ends()
    {
        using PointSet points = Points(25);
        using var view = new GraphView(new LinkTable(25, 4), points, PageLease.Rent(null));

        Assert.That(
            () => PagePacker.Order(view, entry: 0, NodesPerPage, onRows: null, new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
    }

    private static PointSet Points(int count) => Vectors(count).ToPointSet();

    private static TestVectors Vectors(int count) =>
        TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count, queries: 0, Seed);

    private static BuiltGraph Build(int count) => new VamanaBuilder().Build(
        Vectors(count)
        .ToPointTable(), new GraphParameters(24, 40, 1.2f, Threads: 1, Seed: 1), new GraphReport(), progress: null, CancellationToken.None);

    private static int[] Order(BuiltGraph graph, int nodesPerPage)
    {
        using GraphView view = graph.OpenView();
        return PagePacker.Order(view, graph.Entry, nodesPerPage, onRows: null, CancellationToken.None);
    }
}

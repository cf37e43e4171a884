using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Reference.Vamana;

namespace VectorPipe.Tests.Building.Graphs;

internal sealed class ReachabilityRepairTests
{
    [Test]
    public void An_unreached_chain_is_linked_in_once_at_its_head_from_the_nearest_point_with_a_free_slot()
    {
        // 0 - 1 are reached, 2 -> 3 are not.
        using LinkTable graph = Of([1], [0], [3], []);

        GraphReport report = Repair(graph, 0, 1, 2, 3);

        Assert.That((report.ReachableBeforeRepair, report.Reachable, report.LinksAdded), Is.EqualTo((2, 4, 1)));
        Assert.That(graph.Links(1).ToArray(), Is.EqualTo(new[] { 0, 2 }));
    }

    [Test]
    public void A_full_row_gives_up_its_farthest_link_that_nothing_depends_on()
    {
        // The tree is 0 -> 1, 0 -> 2; of point 2, whose row is full, the links to 0 and 1 can go. Point 3 is nearest to it.
        using LinkTable graph = Of([1, 2], [0, 2], [1, 0], [0, 1]);

        Repair(graph, 0, 1, 5, 6);

        Assert.That(graph.Links(2).ToArray(), Is.EqualTo(new[] { 1, 3 }));
        Assert.That(GraphSearcher.CountReachable(Graph.Of(graph, entry: 0)), Is.EqualTo(4));
    }

    [Test]
    public void A_graph_without_links_becomes_reachable_with_one_slot_a_point()
    {
        using var graph = new LinkTable(50, 1);

        GraphReport report = Repair(graph, [.. Enumerable.Range(0, 50).Select(i => (float)(i * 37 % 50))]);

        Assert.That((report.ReachableBeforeRepair, report.LinksAdded), Is.EqualTo((1, 49)));
        Assert.That(GraphSearcher.CountReachable(Graph.Of(graph, entry: 0)), Is.EqualTo(50));
    }

    private static LinkTable Of(params int[][] rows)
    {
        var graph = new LinkTable(rows.Length, maxDegree: 2);
        for (int i = 0; i < rows.Length; i++)
            graph.SetLinks(i, rows[i]);
        return graph;
    }

    private static GraphReport Repair(LinkTable graph, params float[] positions)
    {
        using PointSet points =
            TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, [.. positions.Select(x => new[] { x })]).ToPointSet();
        var report = new GraphReport();
        using var view = new GraphView(graph, points, PageLease.Rent(null));
        var shared = new SharedGraph(graph, entry: 0);
        new ReachabilityRepair(view, entry: 0, () => new GreedySearch(shared, points, new VisitMarks(graph.Count), listSize: 4))
            .Run(report, progress: null, CancellationToken.None);
        return report;
    }
}

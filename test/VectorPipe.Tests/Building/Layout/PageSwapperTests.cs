using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>Swaps between pages never weaken the ties within pages.</summary>
public sealed class PageSwapperTests
{
    [Test]
    public void Swaps_never_weaken_the_ties_within_pages([Values(1, 2, 12)] int nodesPerPage, [Values(0, 1, 5)] int hubs)
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 10; i++)
        {
            using NearestTable nearest = NearestCases.Hubs(random, random.Next(20, 400), Math.Min(hubs, 10));
            AssertNoLess(nearest, nodesPerPage, $"case {i}");
        }
    }

    [Test]
    public void Swaps_bring_neighbours_of_clustered_points_together()
    {
        using NearestTable nearest = NearestCases.Clustered(RandomizedTest.Start(), 600);
        (long before, long after) = AssertNoLess(nearest, 12, "clusters");
        Assert.That(after, Is.GreaterThan(before), "a greedy packing leaves something to improve");
    }

    private static (long Before, long After) AssertNoLess(NearestTable nearest, int nodesPerPage, string what)
    {
        int count = nearest.Count;
        using ChunkAdjacency adjacency = NearestCases.Load(nearest, 0, count);
        int[] pageOf = new int[count], members = new int[count], scratch = new int[count];
        new ChunkPacker().Run(adjacency, nodesPerPage, pageOf, members, scratch, default);
        AssertPages(pageOf, members, nodesPerPage, $"{what}, packed");
        long before = Ties(adjacency, pageOf);
        new PageSwapper(count, nodesPerPage).Run(adjacency, nodesPerPage, pageOf, members, scratch, 7, threads: 2, default);
        AssertPages(pageOf, members, nodesPerPage, $"{what}, swapped");
        long after = Ties(adjacency, pageOf);
        Assert.That(after, Is.GreaterThanOrEqualTo(before), $"{what}: ties within pages of {nodesPerPage}");
        return (before, after);
    }

    private static long Ties(ChunkAdjacency adjacency, int[] pageOf)
    {
        long ties = 0;
        for (int point = 0; point < pageOf.Length; point++)
        {
            ChunkAdjacency.Ties of = adjacency.Of(point);
            for (int i = 0; i < of.Count; i++)
                ties += pageOf[of.Target(i)] == pageOf[point] ? of.Weight(i) : 0;
        }

        return ties;
    }

    private static void AssertPages(int[] pageOf, int[] members, int nodesPerPage, string what)
    {
        Assert.That(members.Order(), Is.EqualTo(Enumerable.Range(0, members.Length)), $"{what}: every point once");
        for (int i = 0; i < members.Length; i++)
            Assert.That(pageOf[members[i]], Is.EqualTo(i / nodesPerPage), $"{what}: page of the point in place {i}");
    }
}

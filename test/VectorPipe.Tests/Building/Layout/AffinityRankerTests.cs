using NUnit.Framework;
using VectorPipe.Building.Layout;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>Compares the link requests of nodes with a ranking of all pages.</summary>
public sealed class AffinityRankerTests
{
    [Test]
    public void Pages_are_ranked_by_how_near_their_nodes_are([Values(1, 12)] int nodesPerPage, [Values(3, 79, 600)] int requests)
    {
        Random random = RandomizedTest.Start();
        var ranker = new AffinityRanker(nodesPerPage);
        for (int i = 0; i < 200; i++)
        {
            int count = random.Next(2, 3000);
            int[] idOf = [.. Enumerable.Range(0, count)];
            random.Shuffle(idOf);
            int node = random.Next(count);
            int[] nearest = Draw(random, count, random.Next(30));
            int[] links = Draw(random, count, random.Next(280));
            uint[] sources = [.. Draw(random, count, random.Next(200)).Select(row => (uint)row)];
            byte[] ranks = [.. sources.Select((_, j) => j < sources.Length / 2 ? (byte)random.Next(24) : ReverseNeighbours.Link)];
            uint[] found = new uint[requests];
            ranker.Rank(node, [.. nearest, -1, 0], links, sources, ranks, idOf, found);
            IEnumerable<(int Id, float Affinity)> ties =
                [
                    .. nearest.Take(24).Select((row, j) => (idOf[row], 2f / (j + 4))),
                    .. links.Select(row => (idOf[row], 0.1f)),
                    .. sources.Zip(ranks, (id, rank) => ((int)id, rank == ReverseNeighbours.Link ? 0.1f : 2f / (rank + 4))),
                ];
            Assert.That(found, Is.EqualTo(Expected(node, ties, nodesPerPage, requests)), $"case {i}");
        }
    }

    private static uint[] Expected(int node, IEnumerable<(int Id, float Affinity)> ties, int nodesPerPage, int requests)
    {
        var pages = new List<(int Page, float Affinity, int First)>();
        foreach ((int id, float affinity) in ties.Where(tie => tie.Id / nodesPerPage != node / nodesPerPage))
        {
            int known = pages.FindIndex(page => page.Page == id / nodesPerPage);
            if (known < 0)
                pages.Add((id / nodesPerPage, affinity, id));
            else
                pages[known] = pages[known] with { Affinity = pages[known].Affinity + affinity };
        }

        // OrderBy keeps the order of equals, so the page met first comes first.
        uint[] ranked = [.. pages.OrderByDescending(page => page.Affinity).Take(requests).Select(page => (uint)page.First)];
        return [.. ranked, .. Enumerable.Repeat(PageLinkRequests.None, requests - ranked.Length)];
    }

    private static int[] Draw(Random random, int count, int wanted)
    {
        int[] rows = [.. Enumerable.Range(0, count)];
        random.Shuffle(rows);
        return rows[..Math.Min(count, wanted)];
    }
}

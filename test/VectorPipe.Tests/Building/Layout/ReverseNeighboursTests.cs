using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>Compares reverse neighbours with a scan of every list.</summary>
public sealed class ReverseNeighboursTests
{
    [Test]
    public void Every_tie_to_a_node_of_the_range_is_found_with_its_rank()
    {
        Random random = RandomizedTest.Start();
        const int count = 300;
        using NearestTable nearest = NearestCases.Hubs(random, count, 3);
        using var graph = new LinkTable(count, 8);
        for (int row = 0; row < count; row++)
            graph.SetLinks(
                row, [.. Enumerable.Range(0, count).Where(other => other != row).OrderBy(_ => random.Next()).Take(random.Next(9))]);
        int[] idOf = [.. Enumerable.Range(0, count)];
        random.Shuffle(idOf);
        var ties = new ReverseNeighbours(nearest, idOf);
        foreach ((int first, int length) in new[] { (0, 300), (0, 1), (299, 1), (100, 57) })
        {
            ties.Collect(first, length, graph, default);
            for (int node = first; node < first + length; node++)
            {
                int row = Array.IndexOf(idOf, node);
                (uint, byte)[] expected =
                [
                    .. Enumerable.Range(0, count).Where(other => Rank(other, row) >= 0)
                    .Select(other => ((uint)idOf[other], (byte)Rank(other, row))),
                    .. Enumerable.Range(0, count).Where(other => graph.Links(other).Contains(row))
                    .Select(other => ((uint)idOf[other], ReverseNeighbours.Link)),
                ];
                Assert.That(
                    ties.SourcesOf(node).ToArray().Zip(ties.RanksOf(node).ToArray()), Is.EqualTo(expected),
                    $"node {node} of {first} + {length}");
            }
        }

        int Rank(int of, int row) => nearest.Of(of)[..AffinityRanker.Neighbours].IndexOf(row);
    }
}

using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>The ties between the points of a chunk have the same weight from either end.</summary>
public sealed class ChunkAdjacencyTests
{
    [Test]
    public void Two_points_are_tied_as_much_from_either_end([Values(0, 1, 3)] int hubs)
    {
        using NearestTable nearest = NearestCases.Hubs(RandomizedTest.Start(), 300, hubs);
        AssertSymmetric(nearest, 0, 300);
    }

    [Test]
    public void A_chunk_has_ties_only_within_itself([Values(0, 2)] int hubs)
    {
        using NearestTable nearest = NearestCases.Hubs(RandomizedTest.Start(), 300, hubs);
        AssertSymmetric(nearest, 100, 120);
    }

    [Test]
    public void Every_near_neighbour_in_the_chunk_is_tied_unless_it_is_a_hub()
    {
        using NearestTable nearest = NearestCases.Clustered(RandomizedTest.Start(), 400);
        using ChunkAdjacency adjacency = NearestCases.Load(nearest, 50, 300);
        for (int point = 0; point < 300; point++)
        {
            int[] expected = [
                .. Enumerable.Range(0, 300)
                .Where(other => Lists(nearest, 50 + point, 50 + other) || Lists(nearest, 50 + other, 50 + point))];
            Assert.That(adjacency.Targets(point), Is.EquivalentTo(expected), $"point {point}");
        }
    }

    [Test]
    public void A_chunk_does_not_depend_on_the_one_before()
    {
        Random random = RandomizedTest.Start();
        using NearestTable large = NearestCases.Hubs(random, 500, 2), small = NearestCases.Hubs(random, 60, 1);
        using ChunkAdjacency used = NearestCases.Load(large, 0, 500), fresh = NearestCases.Load(small, 0, 60);
        NearestCases.Load(used, small, 0, 60);
        for (int point = 0; point < 60; point++)
        {
            Assert.That(used.Targets(point), Is.EqualTo(fresh.Targets(point)));
            Assert.That(used.Weights(point), Is.EqualTo(fresh.Weights(point)));
        }
    }

    [Test]
    public void Ties_are_those_of_going_over_the_links_one_by_one([Values(0, 1, 4)] int hubs)
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 20; i++)
        {
            int count = random.Next(30, 400), first = random.Next(count / 2);
            using NearestTable nearest = NearestCases.Hubs(random, count, hubs);
            using ChunkAdjacency adjacency = NearestCases.Load(nearest, first, count - first);
            List<(int Target, int Weight)>[] expected = Expected(nearest, first, count - first);
            for (int point = 0; point < count - first; point++)
                Assert.That(
                    adjacency.Targets(point).Zip(adjacency.Weights(point)), Is.EqualTo(expected[point]),
                    $"case {i}, point {point} of {count - first}");
        }
    }

    // Forward links in the order of the lists; then, source by source, the weight of a link is added to that of its counterpart, or the
    // link is added to the other end, or dropped if that is full.
    private static List<(int Target, int Weight)>[] Expected(NearestTable nearest, int first, int count)
    {
        List<(int Target, int Weight)>[] forward =
        [
            .. Enumerable.Range(0, count).Select(point => nearest.Of(first + point, ChunkAdjacency.Neighbours).ToArray()
                .Select((row, rank) => (Target: row - first, Weight: rank < 5 ? 3 : 2)).Where(tie => tie.Target >= 0 && tie.Target < count)
                    .ToList()),
        ];
        int[] room = new int[count];
        foreach ((int target, _) in forward.SelectMany(ties => ties))
            room[target] = Math.Min(64, room[target] + 1);
        List<(int Target, int Weight)>[] ties = [.. forward.Select(list => list.ToList())];
        for (int point = 0; point < count; point++)
        {
            foreach ((int target, int weight) in forward[point])
            {
                int back = ties[target].FindIndex(tie => tie.Target == point);
                if (back >= 0)
                    ties[target][back] = (point, ties[target][back].Weight + weight);
                else if (ties[target].Count < ChunkAdjacency.Neighbours + room[target])
                    ties[target].Add((point, weight));
                else
                    ties[point].RemoveAll(tie => tie.Target == target);
            }
        }

        return ties;
    }

    private static bool Lists(NearestTable nearest, int row, int other) => nearest.Of(row)[..ChunkAdjacency.Neighbours].Contains(other);

    private static void AssertSymmetric(NearestTable nearest, int first, int count)
    {
        using ChunkAdjacency adjacency = NearestCases.Load(nearest, first, count);
        Assert.That(adjacency.Count, Is.EqualTo(count));
        for (int point = 0; point < count; point++)
        {
            int[] targets = adjacency.Targets(point);
            Assert.That(targets, Is.Unique.And.All.InRange(0, count - 1).And.None.EqualTo(point), $"neighbours of point {point}");
            for (int i = 0; i < targets.Length; i++)
            {
                int back = Array.IndexOf(adjacency.Targets(targets[i]), point);
                Assert.That(back, Is.GreaterThanOrEqualTo(0), $"point {point} is tied to {targets[i]}, which is not tied to it");
                Assert.That(
                    adjacency.Weights(targets[i])[back], Is.EqualTo(adjacency.Weights(point)[i]),
                    $"weight between {point} and {targets[i]}");
            }
        }
    }
}

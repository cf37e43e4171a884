using NUnit.Framework;
using VectorPipe.Building;
using VectorPipe.Building.Layout;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>How much points want to share a page: the same from either end.</summary>
public sealed class ChunkAdjacencyTests
{
    [Test]
    public void Two_points_are_tied_as_much_from_either_end([Values(0, 1, 3)] int hubs)
    {
        using NearestLists nearest = NearestCases.Hubs(RandomizedTest.Start(), 300, hubs);
        AssertSymmetric(nearest, 0, 300);
    }

    [Test]
    public void A_chunk_is_tied_within_itself_alone([Values(0, 2)] int hubs)
    {
        using NearestLists nearest = NearestCases.Hubs(RandomizedTest.Start(), 300, hubs);
        AssertSymmetric(nearest, 100, 120);
    }

    [Test]
    public void Every_near_neighbour_in_the_chunk_is_there_unless_it_is_near_to_very_many()
    {
        using NearestLists nearest = NearestCases.Clustered(RandomizedTest.Start(), 400);
        var adjacency = new ChunkAdjacency();
        adjacency.Load(nearest, 50, 300);
        for (int point = 0; point < 300; point++)
        {
            int[] expected = [.. Enumerable.Range(0, 300).Where(other => Lists(nearest, 50 + point, 50 + other) || Lists(nearest, 50 + other, 50 + point))];
            Assert.That(adjacency.Targets(point).ToArray(), Is.EquivalentTo(expected), $"point {point}");
        }
    }

    [Test]
    public void A_chunk_does_not_depend_on_the_one_before()
    {
        Random random = RandomizedTest.Start();
        using NearestLists large = NearestCases.Hubs(random, 500, 2), small = NearestCases.Hubs(random, 60, 1);
        ChunkAdjacency used = new(), fresh = new();
        used.Load(large, 0, 500);
        used.Load(small, 0, 60);
        fresh.Load(small, 0, 60);
        for (int point = 0; point < 60; point++)
        {
            Assert.That(used.Targets(point).ToArray(), Is.EqualTo(fresh.Targets(point).ToArray()));
            Assert.That(used.Weights(point).ToArray(), Is.EqualTo(fresh.Weights(point).ToArray()));
        }
    }

    private static bool Lists(NearestLists nearest, int row, int other) => nearest.Of(row)[..ChunkAdjacency.Neighbours].Contains(other);

    private static void AssertSymmetric(NearestLists nearest, int first, int count)
    {
        var adjacency = new ChunkAdjacency();
        adjacency.Load(nearest, first, count);
        Assert.That(adjacency.Count, Is.EqualTo(count));
        for (int point = 0; point < count; point++)
        {
            int[] targets = adjacency.Targets(point).ToArray();
            Assert.That(targets, Is.Unique.And.All.InRange(0, count - 1).And.None.EqualTo(point), $"neighbours of point {point}");
            for (int i = 0; i < targets.Length; i++)
            {
                int back = adjacency.Targets(targets[i]).IndexOf(point);
                Assert.That(back, Is.GreaterThanOrEqualTo(0), $"point {point} is tied to {targets[i]}, which is not tied to it");
                Assert.That(adjacency.Weights(targets[i])[back], Is.EqualTo(adjacency.Weights(point)[i]), $"weight between {point} and {targets[i]}");
            }
        }
    }
}

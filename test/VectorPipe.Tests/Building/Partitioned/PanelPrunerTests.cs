using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Reference.Vamana;

namespace VectorPipe.Tests.Building.Partitioned;

internal sealed class PanelPrunerTests
{
    private const int Seed = 20262;

    // Farther than any candidate.
    private const float Everything = 1e6f;

    [Test]
    public void Links_equal_those_of_the_plain_pruner(
        [Values] DistanceMetric metric, [
            Values(1f, 1.2f, 1.5f)] float alpha, [Values(1, 5, 20, 100)] int maxDegree, [Values(1, 17, 90)] int candidates)
    {
        TestVectors drawn = TestVectors.Clustered(metric, VectorElementType.UInt8, dimension: 14, count: 100, queries: 0, Seed);
        using PointSet points = drawn.ToPointSet();
        using VectorTable table = Load(drawn);
        int[] others = [.. Enumerable.Range(1, candidates)];
        float[] distances = new float[candidates];
        points.Distances(0, others, distances);
        int[] expected = new int[maxDegree];
        ulong[] plain = [.. others.Select((other, i) => PointKey.Pack(distances[i], other))];
        int expectedCount = new RobustPruner(points).Prune(0, plain, alpha, expected);

        using var pruner = new PanelPruner(table);
        int[] links = new int[maxDegree];
        int count = pruner.Prune(Keys(distances, others), alpha, fill: 0, links);

        Assert.That(links[..count], Is.EqualTo(expected[..expectedCount]), $"seed {Seed}");
    }

    [Test]
    public void Free_room_goes_to_the_nearest_candidates_left_up_to_a_distance(
        [Values(0.5f, 0.8f, 1f, Everything)] float fill)
    {
        TestVectors drawn = TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 14, count: 100, queries: 0, Seed);
        using PointSet points = drawn.ToPointSet();
        using VectorTable table = Load(drawn);
        int[] others = [.. Enumerable.Range(1, 80)];
        float[] distances = new float[80];
        points.Distances(0, others, distances);
        using var pruner = new PanelPruner(table);
        int[] chosen = new int[60];
        int chosenCount = pruner.Prune(Keys(distances, others), 1.2f, fill: 0, chosen);

        int[] links = new int[60];
        int count = pruner.Prune(Keys(distances, others), 1.2f, fill, links);

        float reach = fill * distances.Order().ElementAt(59);
        int[] near = [
            .. others.Except(chosen[..chosenCount]).Where(other => distances[other - 1] <= reach).OrderBy(other => distances[other - 1])
            .ThenBy(other => other)];
        Assert.That(chosenCount, Is.LessThan(60), "there is room");
        Assert.That(near, Is.Not.Empty, "something is near enough");
        Assert.That(links[..count], Is.EqualTo(chosen[..chosenCount].Concat(near.Take(60 - chosenCount))), $"seed {Seed}");
    }

    [Test]
    public void Copies_of_a_chosen_candidate_are_left_out_despite_free_room()
    {
        float[][] vectors = [[0, 0], [3, 0], [3, 0], [0, 4], [3, 0]];
        TestVectors drawn = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, vectors);
        using PointSet points = drawn.ToPointSet();
        using VectorTable table = Load(drawn);
        using var pruner = new PanelPruner(table);
        int[] links = new int[4];

        int count = pruner.Prune(Keys([9, 9, 16, 9], [1, 2, 3, 4]), 1.2f, fill: Everything, links);

        Assert.That(links[..count], Is.EqualTo(new[] { 1, 3 }));
    }

    [Test]
    public void No_candidates_give_no_links()
    {
        TestVectors drawn = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, [1]);
        using PointSet points = drawn.ToPointSet();
        using VectorTable table = Load(drawn);
        using var pruner = new PanelPruner(table);

        Assert.That(pruner.Prune(Keys([], []), 1.2f, fill: Everything, new int[4]), Is.Zero);
    }

    private static VectorTable Load(TestVectors vectors)
    {
        using PointTable points = vectors.ToPointTable();
        var table = new VectorTable(KernelRowFormat.Of(points), points.Count);
        for (int i = 0; i < points.Count; i++)
            table.Load(i, points, i);
        return table;
    }

    private static CandidateKeys Keys(float[] distances, int[] candidates)
    {
        var keys = new CandidateKeys(1000);
        keys.Start(0);
        for (int i = 0; i < candidates.Length; i++)
            keys.Add(distances[i], candidates[i]);
        keys.SortDistinct();
        return keys;
    }
}

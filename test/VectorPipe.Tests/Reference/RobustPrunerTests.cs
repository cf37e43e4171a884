using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Reference.Vamana;
using VectorPipe.Tests.Building;

namespace VectorPipe.Tests.Reference;

internal sealed class RobustPrunerTests
{
    // Squared distances. From point 0: 1 -> 4, 2 -> 9, 3 -> 16, 4 -> 25. From 1: 2 -> 1, 3 -> 20, 4 -> 29. From 2: 3 -> 25, 4 -> 34.
    // From 3: 4 -> 81.
    private static readonly float[][] _cross = [[0, 0], [2, 0], [3, 0], [0, 4], [0, -5]];

    [Test]
    public void A_candidate_that_a_nearer_link_occludes_is_left_out() =>
        Assert.That(Prune(_cross, alpha: 1, maxDegree: 4), Is.EqualTo(new[] { 1, 3, 4 }));

    [Test]
    public void A_larger_alpha_appends_candidates_that_a_link_occluded()
    {
        // Point 2 is occluded while 9 > alpha * 1.
        Assert.That(Prune(_cross, alpha: 8.9f, maxDegree: 4), Is.EqualTo(new[] { 1, 3, 4 }));
        Assert.That(Prune(_cross, alpha: 9, maxDegree: 4), Is.EqualTo(new[] { 1, 3, 4, 2 }));
    }

    [Test]
    public void The_nearest_of_too_many_candidates_are_chosen() =>
        Assert.That(Prune(_cross, alpha: 9, maxDegree: 2), Is.EqualTo(new[] { 1, 3 }));

    [Test]
    public void Only_the_lowest_of_equal_candidates_is_chosen() =>
        Assert.That(Prune([[0, 0], [0, 4], [2, 0], [2, 0], [2, 0]], alpha: 100, maxDegree: 4), Is.EqualTo(new[] { 2, 1 }));

    [Test]
    public void A_copy_of_the_point_does_not_occlude_the_others() =>
        Assert.That(Prune([[0, 0], [0, 0], [0, 4], [3, 0]], alpha: 1, maxDegree: 4), Is.EqualTo(new[] { 1, 3, 2 }));

    [Test]
    public void A_thousand_candidates_are_pruned()
    {
        float[][] circle =
            [[0, 0], .. Enumerable.Range(0, 1000).Select(i => new[] { 100 * MathF.Cos(i * 0.00628f), 100 * MathF.Sin(i * 0.00628f) })];

        Assert.That(
            Prune(circle, alpha: 1, maxDegree: 64), Has.Length.InRange(4, 7), "links of a circle's centre are at least 60 degrees apart");
    }

    // Links of point 0; the candidates are all points, itself included.
    private static int[] Prune(float[][] vectors, float alpha, int maxDegree)
    {
        using PointSet points = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, vectors).ToPointSet();
        int[] all = [.. Enumerable.Range(0, vectors.Length)];
        float[] distances = new float[all.Length];
        points.Distances(0, all, distances);
        ulong[] candidates = [.. all.Reverse().Select(point => PointKey.Pack(distances[point], point))];
        int[] links = new int[maxDegree];
        int degree = new RobustPruner(points).Prune(0, candidates, alpha, links);
        return links[..degree];
    }
}

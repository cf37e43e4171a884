using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics.Panels;
using VectorPipe.Tests.Building.Partitioned;

namespace VectorPipe.Tests.Building.Clusters;

internal sealed class PartitionerTests
{
    private const int Seed = 20264;
    private const int LeafSize = 20;

    [Test]
    public void Every_point_lies_in_one_leaf_and_no_leaf_is_empty_or_far_too_large()
    {
        using PartitionCase data = PartitionCase.Create(3000, dimension: 10, Seed);
        using LeafMap map = Partition(data, threads: 2);

        Assert.That(map.Points, Is.EquivalentTo(Enumerable.Range(0, 3000)));
        Assert.That(map.Offsets[0], Is.Zero);
        Assert.That(map.Offsets[^1], Is.EqualTo(3000));
        Assert.That(Enumerable.Range(0, map.Count).Select(map.Size), Has.All.InRange(1, 3 * LeafSize), $"seed {Seed}");
        Assert.That(map.GroupOffsets[^1], Is.EqualTo(map.Count));
    }

    [Test]
    public void Copies_of_one_vector_are_divided()
    {
        using PartitionCase data = PartitionCase.Of([.. Enumerable.Repeat(new float[] { 7, 7, 7 }, 1000)]);
        using LeafMap map = Partition(data, threads: 1);

        Assert.That(map.Points, Is.EquivalentTo(Enumerable.Range(0, 1000)));
        Assert.That(Enumerable.Range(0, map.Count).Select(map.Size), Has.All.InRange(1, 3 * LeafSize));
    }

    [Test]
    public void A_huge_leaf_is_split_in_batches_of_bounded_size()
    {
        // Two vectors alternate: the split puts the copies of one first, then those of the other.
        int count = 3 * (int)(LeafSplitter.MostRows(LeafSize) * 4 / 5);
        using PartitionCase data = PartitionCase.Of([.. Enumerable.Range(0, count).Select(i => new float[] { 7, 7, 7 + i % 2 })]);
        using var splitter = new LeafSplitter(data.Points, LeafSize, paging: null, CancellationToken.None);
        var parts = new List<LeafPart>();
        splitter.Add(new LeafPart(0, data.Table, 0, Enumerable.Range(0, count).ToArray()), parts);

        int[] order = [.. parts.SelectMany(part => part.Points.ToArray())];
        Assert.That(order, Is.EquivalentTo(Enumerable.Range(0, count)));
        Assert.That(parts.Select(part => part.Points.Length), Has.All.InRange(1, 3 * LeafSize));
        Assert.That(order.Select(point => point / (count / 3)), Is.Ordered, "a third at a time");
    }

    [Test]
    public void A_leaf_within_the_bound_is_split_in_one_batch()
    {
        int count = (int)LeafSplitter.MostRows(LeafSize);
        using PartitionCase data = PartitionCase.Of([.. Enumerable.Range(0, count).Select(i => new float[] { 7, 7, 7 + i % 2 })]);
        using var splitter = new LeafSplitter(data.Points, LeafSize, paging: null, CancellationToken.None);
        var parts = new List<LeafPart>();
        splitter.Add(new LeafPart(0, data.Table, 0, Enumerable.Range(0, count).ToArray()), parts);

        int[] order = [.. parts.SelectMany(part => part.Points.ToArray())];
        int first = order[0] % 2;
        Assert.That(order[..(count / 2)], Has.All.Matches<int>(point => point % 2 == first), "all copies of one");
    }

    [Test]
    public void Points_of_a_leaf_are_nearer_to_each_other_than_points_at_large()
    {
        using PartitionCase data = PartitionCase.Create(2000, dimension: 10, Seed);
        using LeafMap map = Partition(data, threads: 2);
        float[] distance = new float[1];
        double Mean(Func<int, int> other)
        {
            double sum = 0;
            for (int i = 0; i < 2000; i += 7)
            {
                data.Distances.Distances(map.Points[i], [map.Points[other(i)]], distance);
                sum += distance[0];
            }

            return sum;
        }

        Assert.That(Mean(i => i == 0 ? 1 : i - 1), Is.LessThan(0.4 * Mean(i => (i + 1000) % 2000)), $"seed {Seed}");
    }

    [Test]
    public void Near_leaves_are_all_leaves_by_distance_the_leaf_itself_first()
    {
        using PartitionCase data = PartitionCase.Create(2000, dimension: 10, Seed);
        using LeafMap map = Partition(data, threads: 2);
        var near = new NearLeaves(map);
        float[] distances = new float[map.Count];

        foreach (int leaf in new[] { 0, map.Count / 2, map.Count - 1 })
        {
            near.Start(leaf, exact: 10);
            while (near.Extend())
            {
            }

            int[] listed = near.Listed.ToArray();
            GatherKernels.Distances(map.Centroids.Rows, leaf, listed, distances);
            Assert.That(listed[0], Is.EqualTo(leaf));
            Assert.That(listed, Is.EquivalentTo(Enumerable.Range(0, map.Count)));
            Assert.That(distances[..10], Is.Ordered, $"seed {Seed}");
        }
    }

    [Test]
    public void A_level_is_part_of_the_one_below_and_has_its_share_of_the_points()
    {
        using PartitionCase data = PartitionCase.Create(6000, dimension: 4, Seed);
        using LeafMap map = Partition(data, threads: 2);
        var levels = new SampleLevels(map, start: 77, rate: 8, seed: 5);

        Assert.That(levels.Count, Is.EqualTo(2));
        Assert.That(levels.All(0).Length, Is.InRange(600, 900));
        Assert.That(levels.All(1).ToArray(), Is.SubsetOf(levels.All(0).ToArray()));
        Assert.That(levels.All(1).ToArray(), Does.Contain(77));
        for (int leaf = 0; leaf < map.Count; leaf++)
            Assert.That(levels.InLeaf(0, leaf).ToArray(), Has.All.InRange(map.Offsets[leaf], map.Offsets[leaf + 1] - 1));
    }

    [Test]
    public void Copies_form_a_ring_and_only_the_first_few_are_candidates_for_others()
    {
        float[][] vectors = [.. Enumerable.Range(0, 60).Select(i => new float[] { i % 10 == 3 ? 1 : i, 9 })];
        using PartitionCase data = PartitionCase.Of([.. vectors, .. Enumerable.Repeat(vectors[3], 20)]);
        var rings = new CopyRings(80);
        rings.Enter(data.Table.Rows, 0, 80);

        int[] copies = [.. Enumerable.Range(0, 80).Where(i => vectors[Math.Min(i, 59)][0] == 1 || i >= 60)];
        Assert.That(copies.Select(rings.Next), Is.EqualTo(copies.Skip(1).Append(copies[0])));
        Assert.That(Enumerable.Range(0, 80).Except(copies).All(i => rings.Next(i) == i));
        var candidates = new List<int>();
        rings.ListCandidates(0, 80, candidates);
        Assert.That(candidates.Intersect(copies), Is.EqualTo(copies.Take(4)));
        Assert.That(candidates, Has.Count.EqualTo(80 - copies.Length + 4));
    }

    private static LeafMap Partition(PartitionCase data, int threads)
    {
        var parameters = new GraphParameters(MaxDegree: 16, ListSize: 20, Alpha: 1.2f, threads, Seed: 7);
        return Partitioner.Run(data.Points, LeafSize, parameters, paging: null, progress: null, CancellationToken.None);
    }
}

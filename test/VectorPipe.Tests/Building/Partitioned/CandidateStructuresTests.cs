using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Tests.Building.Partitioned;

internal sealed unsafe class CandidateStructuresTests
{
    private const int Seed = 20263;

    [Test]
    public void A_reservoir_ends_with_the_nearest_of_its_stream([Values(1, 10, 64)] int nearest, [Values(1, 40, 2000)] int streamed)
    {
        var random = new Random(Seed);
        float[] distances = [.. Enumerable.Range(0, streamed).Select(_ => random.NextSingle())];
        using var reservoirs = new Reservoirs(2, nearest);
        reservoirs.Clear(2);

        Stream(reservoirs, row: 1, self: -1, distances);
        reservoirs.Finish(1, out ReadOnlySpan<float> kept, out ReadOnlySpan<int> positions);

        Assert.That(kept.Length, Is.InRange(Math.Min(nearest, streamed), nearest + 4));
        Assert.That(kept.ToArray().Order().Take(nearest), Is.EqualTo(distances.Order().Take(nearest)), $"seed {Seed}");
        for (int i = 0; i < kept.Length; i++)
            Assert.That(distances[positions[i]], Is.EqualTo(kept[i]), "a distance stays with its position");
    }

    [Test]
    public void A_reservoir_keeps_the_first_of_equally_near_candidates()
    {
        using var reservoirs = new Reservoirs(1, 8);
        reservoirs.Clear(1);

        Stream(reservoirs, row: 0, self: 3, [.. Enumerable.Repeat(5f, 1000)]);
        reservoirs.Finish(0, out _, out ReadOnlySpan<int> positions);

        Assert.That(positions.ToArray(), Is.EqualTo(new[] { 0, 1, 2, 4, 5, 6, 7, 8 }));
    }

    [Test]
    public void Candidates_are_ordered_by_distance_and_then_by_position_after_the_point()
    {
        var keys = new CandidateKeys(100);
        keys.Start(50);
        foreach ((float distance, int candidate) in new[] { (2f, 10), (1f, 49), (1f, 51), (0f, 99), (2f, 60), (1f, 51) })
            keys.Add(distance, candidate);

        keys.SortDistinct();

        Assert.That(Enumerable.Range(0, keys.Count).Select(keys.Position), Is.EqualTo(new[] { 99, 51, 49, 60, 10 }));
    }

    [Test]
    public void Each_row_looks_into_its_nearest_buckets([Values(1, 3, 50)] int probes)
    {
        const int Rows = 40, Buckets = 20;
        using PartitionCase data = PartitionCase.Create(Rows + Buckets, dimension: 6, Seed);
        using var panel = new VectorPanel();
        panel.Pack(data.Table.Rows, Sequence.Of(Rows, Buckets));
        using var block = new DistanceBlock();
        block.Compute(data.Table.Rows, Sequence.Of(Rows), panel);
        var lists = new ProbeLists();

        lists.Choose(block, Rows, Buckets, probes);

        for (int bucket = 0; bucket < Buckets; bucket++)
        {
            int[] expected = [.. Enumerable.Range(0, Rows).Where(row => Enumerable.Range(0, Buckets)
                .OrderBy(other => block.Row(row)[other]).ThenBy(other => other).Take(probes).Contains(bucket))];
            Assert.That(lists.Rows(bucket).ToArray(), Is.EqualTo(expected), $"bucket {bucket}, seed {Seed}");
        }
    }

    [Test]
    public void In_links_of_a_range_are_all_links_into_it_by_source()
    {
        var random = new Random(Seed);
        using var links = new LinkTable(500, 20);
        for (int i = 0; i < 500; i++)
            links.SetLinks(i, [.. Enumerable.Range(0, random.Next(21)).Select(_ => random.Next(500)).Distinct()]);
        var inLinks = new InLinks();

        foreach ((int first, int count) in new[] { (0, 500), (100, 50), (490, 10), (7, 1) })
        {
            inLinks.Collect(links, first, count, CancellationToken.None);
            for (int target = first; target < first + count; target++)
            {
                int[] expected = [.. Enumerable.Range(0, 500).Where(source => links.Links(source).Contains(target))];
                Assert.That(inLinks.Of(target).ToArray(), Is.EqualTo(expected), $"target {target} of {count} from {first}, seed {Seed}");
            }
        }
    }

    private static void Stream(Reservoirs reservoirs, int row, int self, float[] distances)
    {
        // Panels have an odd size, and infinities follow the last candidate, as kernels leave them.
        const int Panel = 37;
        float[] lanes = new float[64];
        fixed (float* first = lanes)
        {
            for (int from = 0; from < distances.Length; from += Panel)
            {
                int count = Math.Min(Panel, distances.Length - from);
                Array.Fill(lanes, float.PositiveInfinity);
                distances.AsSpan(from, count).CopyTo(lanes);
                reservoirs.Offer(row, self, first, Sequence.Of(from, count));
            }
        }
    }
}

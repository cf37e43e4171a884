using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Work;

namespace VectorPipe.Tests.Building.Partitioned;

/// <summary>Repair goes on while a round finds many missed points, and ends when links do not help.</summary>
internal sealed class SearchRepairTests
{
    private const int Near = 70, Far = 30;
    private const int OnLine = 59_000, OfLeaf = 1000;

    [Test]
    public void When_every_point_is_found_the_first_round_is_the_last()
    {
        using var graph = new ChainGraph(maxDegree: 8, isFarLinked: true);
        Assert.That(graph.Repair(rounds: 5), Is.EqualTo(1));
        Assert.That(graph.LinksToFar, Is.EqualTo(1));
    }

    [Test]
    public void When_links_help_another_round_follows()
    {
        using var graph = new ChainGraph(maxDegree: 8);
        Assert.That(graph.Repair(rounds: 5), Is.EqualTo(2));
        Assert.That(graph.LinksToFar, Is.GreaterThan(0));
    }

    [Test]
    public void When_links_do_not_help_repair_ends()
    {
        // Lists are full of nearer points, before and after.
        using var graph = new ChainGraph(maxDegree: 2);
        Assert.That(graph.Repair(rounds: 5), Is.EqualTo(2));
        Assert.That(graph.LinksToFar, Is.Zero);
    }

    [Test]
    public void When_nearly_every_point_is_missed_links_are_added_without_another_round()
    {
        using var graph = new ChainGraph(maxDegree: 8, isNearLinked: false);
        Assert.That(graph.Repair(rounds: 5), Is.EqualTo(1));
        Assert.That(graph.Degree(0), Is.EqualTo(8), "the entry was given links");
    }

    [Test]
    public void A_share_of_misses_within_the_goal_ends_repair([Values(0.29, 0.31)] double goal)
    {
        using var graph = new ChainGraph(maxDegree: 8);
        Assert.That(graph.Repair(rounds: 5, goal), Is.EqualTo(goal < 0.3 ? 2 : 1));
    }

    [Test]
    public void Repair_keeps_to_the_limit_of_rounds([Values(0, 1)] int rounds)
    {
        using var graph = new ChainGraph(maxDegree: 8);
        Assert.That(graph.Repair(rounds), Is.EqualTo(rounds));
    }

    [Test]
    public void The_round_after_searches_for_all_points_of_a_leaf_that_has_misses()
    {
        // A round's sample is 20,000 points.
        using LinkedPoints one = LineWithLost(), two = LineWithLost();
        Assert.That(one.Repair(rounds: 1), Is.EqualTo(1));
        Assert.That(LostThatHaveLinks(one), Is.InRange(OfLeaf / 4, OfLeaf / 2), "a sample");
        Assert.That(two.Repair(rounds: 2), Is.EqualTo(2));
        Assert.That(LostThatHaveLinks(two), Is.EqualTo(OfLeaf));
    }

    [TestCase(20_000, 60_000, 20_000)]
    [TestCase(125_000, 1_000_000, 125_000)]
    [TestCase(125_000, 1_600_000, 200_000)]
    [TestCase(125_000, 10_000_000, 250_000)]
    [TestCase(1_000_000, 10_000_000, 1_250_000)]
    public void Rounds_of_a_large_set_grow(long searched, long count, long expected) =>
        Assert.That(SearchRepair.NextSearched(searched, count, rate: 8), Is.EqualTo(expected));

    private static int LostThatHaveLinks(LinkedPoints line) =>
        Enumerable.Range(0, OnLine).SelectMany(line.Links).Where(target => target >= OnLine).Distinct().Count();

    // Points on a line that searches stride along, and a last leaf of points beside it to which nothing leads, not even one another.
    private static LinkedPoints LineWithLost()
    {
        int[] strides = [1, 10, 100, 1000, 10_000];
        float[][] points =
        [
            .. Enumerable.Range(0, OnLine).Select(x => new float[] { x, 0 }),
            .. Enumerable.Range(0, OfLeaf).Select(x => new float[] { x * (OnLine / OfLeaf), 0.25f }),
        ];
        int[] Links(int row) => row >= OnLine
            ? []
            : [.. strides.SelectMany(stride => new[] { row - stride, row + stride }).Where(other => other is >= 0 and < OnLine)];
        return new LinkedPoints(points, OfLeaf, maxDegree: 24, Links);
    }

    /// <summary>A row of linked points that begins with the entry, and a far group linked within itself.</summary>
    private sealed class ChainGraph : IDisposable
    {
        private readonly LinkedPoints _graph;

        public ChainGraph(int maxDegree, bool isNearLinked = true, bool isFarLinked = false)
        {
            float[][] points =
            [
                .. Enumerable.Range(0, Near).Select(x => new float[] { x, 0 }),
                .. Enumerable.Range(0, Far).Select(x => new float[] { (Near / 2) + (0.1f * x), 200 }),
            ];
            int[] Links(int row)
            {
                int first = row < Near ? 0 : Near, end = row < Near ? Near : points.Length;
                IEnumerable<int> links = isNearLinked || row >= Near
                    ? new[] { row - 1, row + 1 }.Where(other => other >= first && other < end)
                    : [];
                return isFarLinked && row == Near / 2 ? [.. links, Near] : [.. links];
            }

            _graph = new LinkedPoints(points, points.Length, maxDegree, Links);
        }

        /// <summary>Links from one part to the other.</summary>
        public int LinksToFar => Enumerable.Range(0, Near).Sum(row => _graph.Links(row).Count(target => target >= Near));

        public int Degree(int row) => _graph.Links(row).Length;

        /// <summary>Repairs; returns the rounds of searching.</summary>
        public int Repair(int rounds, double goal = 0.005) => _graph.Repair(rounds, goal);

        public void Dispose() => _graph.Dispose();
    }

    /// <summary>Points in leaves of one size, in their order, with the links that a test gives them. The first is the entry.</summary>
    private sealed class LinkedPoints : IDisposable
    {
        private readonly PointTable _points;
        private readonly VectorTable _vectors;
        private readonly LeafMap _map;
        private readonly LinkTable _links;
        private readonly int _maxDegree;

        public LinkedPoints(float[][] points, int ofLeaf, int maxDegree, Func<int, int[]> linksOf)
        {
            _maxDegree = maxDegree;
            int leaves = points.Length / ofLeaf;
            _points = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, points).ToPointTable();
            KernelRowFormat form = KernelRowFormat.Of(_points);
            _vectors = new VectorTable(form, points.Length);
            _links = new LinkTable(points.Length, maxDegree);
            for (int row = 0; row < points.Length; row++)
            {
                _vectors.Load(row, _points, row);
                _links.SetLinks(row, linksOf(row));
            }

            var centroids = new VectorTable(form, leaves);
            var groups = new VectorTable(form, 1);
            for (int leaf = 0; leaf < leaves; leaf++)
                centroids.Load(leaf, _points, leaf * ofLeaf);
            groups.Load(0, _points, 0);
            int[] offsets = [.. Enumerable.Range(0, leaves + 1).Select(leaf => leaf * ofLeaf)];
            _map = new LeafMap(offsets, [.. Enumerable.Range(0, points.Length)], centroids, groups, [0, leaves]);
        }

        public int[] Links(int row) => _links.Links(row).ToArray();

        /// <summary>Repairs; returns the rounds of searching.</summary>
        public int Repair(int rounds, double goal = 0.005)
        {
            var counter = new RoundCounter();
            var context = new BuildContext(
                _map,
                new SampleLevels(_map, start: 0, rate: 8, seed: 1),
                _vectors,
                Entry: 0,
                new PartitionedOptions { RepairRounds = rounds, RepairGoal = goal, RepairList = 20 },
                new GraphParameters(_maxDegree, ListSize: 20, Alpha: 1.2f, Threads: 1, Seed: 1),
                Paging: null,
                counter,
                new Effort(),
                CancellationToken.None);
            new SearchRepair(context, _links).Run();
            return counter.Rounds;
        }

        public void Dispose()
        {
            _links.Dispose();
            _vectors.Dispose();
            _map.Dispose();
            _points.Dispose();
        }
    }

    private sealed class RoundCounter : IProgress<GraphProgress>
    {
        public int Rounds { get; private set; }

        public void Report(GraphProgress value) => Rounds += value is { Phase: "repair", Done: 0 } ? 1 : 0;
    }
}

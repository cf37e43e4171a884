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

    /// <summary>A row of linked points that begins with the entry, and a far group linked within itself.</summary>
    private sealed class ChainGraph : IDisposable
    {
        private readonly PointTable _points;
        private readonly VectorTable _vectors;
        private readonly LeafMap _map;
        private readonly LinkTable _links;
        private readonly int _maxDegree;

        public ChainGraph(int maxDegree, bool isNearLinked = true, bool isFarLinked = false)
        {
            _maxDegree = maxDegree;
            float[][] points =
            [
                .. Enumerable.Range(0, Near).Select(x => new float[] { x, 0 }),
                .. Enumerable.Range(0, Far).Select(x => new float[] { (Near / 2) + (0.1f * x), 200 }),
            ];
            _points = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, points).ToPointTable();
            KernelRowFormat form = KernelRowFormat.Of(_points);
            _vectors = new VectorTable(form, points.Length);
            _links = new LinkTable(points.Length, maxDegree);
            for (int row = 0; row < points.Length; row++)
            {
                _vectors.Load(row, _points, row);
                int first = row < Near ? 0 : Near, end = row < Near ? Near : points.Length;
                if (isNearLinked || row >= Near)
                    _links.SetLinks(row, [.. new[] { row - 1, row + 1 }.Where(other => other >= first && other < end)]);
            }

            if (isFarLinked)
                _links.SetLink(Near / 2, 2, Near);
            var centroids = new VectorTable(form, 1);
            var groups = new VectorTable(form, 1);
            centroids.Load(0, _points, 0);
            groups.Load(0, _points, 0);
            _map = new LeafMap([0, points.Length], [.. Enumerable.Range(0, points.Length)], centroids, groups, [0, 1]);
        }

        /// <summary>Links from one part to the other.</summary>
        public int LinksToFar => Enumerable.Range(0, Near).Sum(row => _links.Links(row).ToArray().Count(target => target >= Near));

        public int Degree(int row) => _links.Degree(row);

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

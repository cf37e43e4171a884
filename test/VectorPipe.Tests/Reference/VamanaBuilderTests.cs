using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Work;
using VectorPipe.Reference.Vamana;
using VectorPipe.Tests.Building;

namespace VectorPipe.Tests.Reference;

internal sealed class VamanaBuilderTests
{
    private const int Seed = 20260;

    private static readonly GraphParameters _parameters = new(MaxDegree: 24, ListSize: 40, Alpha: 1.2f, Threads: 1, Seed: 7);

    [Test]
    [Spread(2)]
    public void Searches_of_a_built_graph_find_the_nearest_by_the_metrics_own_ranking(
        [Values] DistanceMetric metric, [Values] VectorElementType type)
    {
        TestVectors vectors = TestVectors.Clustered(metric, type, dimension: 20, count: 2000, queries: 100, Seed);

        Graph graph = Build(vectors, _parameters, out _);

        // The largest inner products lie outside the data, where greedy search is at its weakest.
        double floor = metric == DistanceMetric.InnerProduct ? 0.94 : 0.97;
        Assert.That(GraphSearcher.Recall(graph, vectors, k: 10, listSize: 40), Is.GreaterThan(floor), $"seed {Seed}");
    }

    [Test]
    public void One_thread_and_one_seed_give_one_graph()
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: 1000, queries: 0, Seed);

        Graph first = Build(vectors, _parameters, out _);
        Graph second = Build(vectors, _parameters, out _);
        Graph otherSeed = Build(vectors, _parameters with { Seed = 8 }, out _);

        Assert.That(Rows(second), Is.EqualTo(Rows(first)));
        Assert.That(Rows(otherSeed), Is.Not.EqualTo(Rows(first)));
    }

    [Test]
    public void Several_threads_give_a_sound_graph_of_about_the_same_recall()
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.Float32, dimension: 20, count: 3000, queries: 100, Seed);

        Graph single = Build(vectors, _parameters, out _);
        Graph parallel = Build(vectors, _parameters with { Threads = 4 }, out _);

        AssertSound(parallel);
        double expected = GraphSearcher.Recall(single, vectors, k: 10, listSize: 20);
        Assert.That(GraphSearcher.Recall(parallel, vectors, k: 10, listSize: 20), Is.EqualTo(expected).Within(0.03), $"seed {Seed}");
    }

    [Test]
    public void A_graph_of_few_points_links_them_all([Values(1, 2, 3, 10)] int count)
    {
        TestVectors vectors = TestVectors.Clustered(DistanceMetric.L2, VectorElementType.Float32, dimension: 5, count, queries: 0, Seed);

        Graph graph = Build(vectors, _parameters with { MaxDegree = 16 }, out GraphReport report);

        AssertSound(graph);
        Assert.That(report.Reachable, Is.EqualTo(count));
    }

    [Test]
    public void Clusters_that_lie_far_apart_are_all_reachable()
    {
        var random = new Random(Seed);
        float[][] points = [.. Enumerable.Range(0, 1500).Select(i =>
            Enumerable.Range(0, 8).Select(j => (j == i % 8 ? 1e4f * (i % 30) : 0) + random.NextSingle()).ToArray())];

        Graph graph = Build(
            TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, points), _parameters with { MaxDegree = 8, ListSize = 10 }, out _);

        AssertSound(graph);
    }

    [Test]
    public void Many_more_copies_of_a_vector_than_links_are_all_reachable([Values(1, 2)] int threads, [Values(0, 300)] int others)
    {
        TestVectors drawn =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: others + 1, queries: 0, Seed);
        float[][] points = [.. drawn.Points, .. Enumerable.Repeat(drawn.Points[0], 499)];

        Graph graph = Build(
            TestVectors.Of(DistanceMetric.L2, VectorElementType.UInt8, points),
            _parameters with { MaxDegree = 16, Threads = threads },
            out GraphReport report);

        AssertSound(graph);
        Assert.That(report.LinksAdded, Is.GreaterThan(0), "copies occlude each other, so that this data needs repair");
    }

    [Test]
    public void The_report_describes_the_graph()
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: 500, queries: 0, Seed);

        Graph graph = Build(vectors, _parameters, out GraphReport report);

        Assert.Multiple(() =>
        {
            Assert.That(report.Reachable, Is.EqualTo(500));
            Assert.That(report.ReachableBeforeRepair, Is.InRange(1, 500));
            Assert.That(report.MeanDegree, Is.EqualTo(Rows(graph).Average(row => row.Length)).Within(1e-9));
            Assert.That(report.Distances, Is.GreaterThan(500 * 2 * 24));
        });
    }

    [Test]
    public void Progress_of_every_phase_ends_at_its_total()
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: 500, queries: 0, Seed);
        var progress = new RecordedProgress();

        new VamanaBuilder()
            .Build(vectors.ToPointTable(), _parameters with { Threads = 2 }, new GraphReport(), progress, CancellationToken.None).Dispose();

        var phases = progress.Reports.GroupBy(report => report.Phase).ToList();
        Assert.That(phases.Select(phase => phase.Key), Is.EqualTo(new[] { "first pass", "second pass", "reachability", "check" }));
        foreach (IGrouping<string, GraphProgress> phase in phases)
        {
            Assert.That(phase.Select(report => report.Done), Is.Ordered, phase.Key);
            Assert.That(phase.Last(), Is.EqualTo(new GraphProgress(phase.Key, 500, 500)));
        }
    }

    [Test]
    public void Cancellation_ends_a_build_in_the_middle_of_a_pass([Values(1, 2)] int threads)
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: 2000, queries: 0, Seed);
        using var cancellation = new CancellationTokenSource();
        var progress = new RecordedProgress { OnReport = report => { if (report.Phase == "second pass") cancellation.Cancel(); } };

        Assert.That(
            () =>
            new VamanaBuilder()
            .Build(vectors.ToPointTable(), _parameters with { Threads = threads }, new GraphReport(), progress, cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(progress.Reports.Select(report => report.Phase), Has.None.EqualTo("reachability"));
    }

    private static Graph Build(TestVectors vectors, GraphParameters parameters, out GraphReport report)
    {
        report = new GraphReport();
        using BuiltGraph built =
            new VamanaBuilder().Build(vectors.ToPointTable(), parameters, report, progress: null, CancellationToken.None);
        return Graph.Of(built);
    }

    private static int[][] Rows(Graph graph) => [.. Enumerable.Range(0, graph.Count).Select(point => graph.Links(point).ToArray())];

    private static void AssertSound(Graph graph)
    {
        for (int point = 0; point < graph.Count; point++)
        {
            int[] links = graph.Links(point).ToArray();
            Assert.That(links, Has.Length.LessThanOrEqualTo(graph.MaxDegree).And.Unique.And.None.EqualTo(point), $"links of {point}");
            Assert.That(links, Has.All.InRange(0, graph.Count - 1), $"links of {point}");
        }

        Assert.That(GraphSearcher.CountReachable(graph), Is.EqualTo(graph.Count));
    }

    private sealed class RecordedProgress : IProgress<GraphProgress>
    {
        private readonly List<GraphProgress> _reports = [];

        public Action<GraphProgress>? OnReport { get; init; }

        public IReadOnlyList<GraphProgress> Reports => _reports;

        public void Report(GraphProgress value)
        {
            lock (_reports)
                _reports.Add(value);
            OnReport?.Invoke(value);
        }
    }
}

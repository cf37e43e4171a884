using NUnit.Framework;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Reference.Plain;
using VectorPipe.Reference.Vamana;

namespace VectorPipe.Tests.Building.Partitioned;

internal sealed class PartitionedBuilderTests
{
    private const int Seed = 20261;

    // Leaves are so small that a few thousand points have many.
    private static readonly PartitionedOptions _options = new() { LeafSize = 50, NearLeaves = 24, Probes = 8, NearCandidates = 32 };

    private static readonly GraphParameters _parameters = new(MaxDegree: 24, ListSize: 40, Alpha: 1.2f, Threads: 2, Seed: 7);

    // The types take turns with the metrics; the other combinations are heavy.
    private static IEnumerable<TestCaseData> AllTypes => Cases(Enum.GetValues<VectorElementType>());

    private static IEnumerable<TestCaseData> TwoTypes => Cases(VectorElementType.UInt8, VectorElementType.Float32);

    private static IEnumerable<TestCaseData> Cases(params VectorElementType[] types) =>
        from metric in Enum.GetValues<DistanceMetric>().Index()
        from type in types.Index()
        let data = new TestCaseData(metric.Item, type.Item)
        select (type.Index - metric.Index) % Math.Min(types.Length, 3) == 0 ? data : data.SetCategory("Heavy");

    [TestCaseSource(nameof(AllTypes))]
    public void Any_number_of_threads_gives_the_same_graph(DistanceMetric metric, VectorElementType type)
    {
        TestVectors vectors = TestVectors.Clustered(metric, type, dimension: 19, count: 700, queries: 0, Seed);

        int[][] one = Rows(Build(vectors, _parameters with { Threads = 1 }, out _));

        foreach (int threads in new[] { 2, 3 })
        {
            int[][] rows = Rows(Build(vectors, _parameters with { Threads = threads }, out _));
            Assert.That(rows, Has.Length.EqualTo(one.Length));
            for (int row = 0; row < rows.Length; row++)
            {
                if (!rows[row].AsSpan().SequenceEqual(one[row]))
                    Assert.That(rows[row], Is.EqualTo(one[row]), $"row {row}, {threads} threads, seed {Seed}");
            }
        }
    }

    [Test]
    public void Another_seed_gives_another_graph()
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: 600, queries: 0, Seed);

        Assert.That(Rows(Build(vectors, _parameters with { Seed = 8 }, out _)), Is.Not.EqualTo(Rows(Build(vectors, _parameters, out _))));
    }

    [TestCaseSource(nameof(TwoTypes))]
    public void Recall_equals_that_of_two_pass_Vamana(DistanceMetric metric, VectorElementType type)
    {
        TestVectors vectors = TestVectors.Clustered(metric, type, dimension: 20, count: 1500, queries: 60, Seed);

        Graph graph = Build(vectors, _parameters, out GraphReport report);

        AssertAsGoodAsVamana(graph, vectors);
        AssertFindsItself(report);
    }

    [Test]
    public void Points_without_clusters_are_no_harder_than_for_Vamana()
    {
        var random = new Random(Seed);
        float[][] Draw(int count) =>
            [.. Enumerable.Range(0, count).Select(_ => Enumerable.Range(0, 12).Select(_ => random.NextSingle()).ToArray())];
        TestVectors vectors = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, Draw(1500)).WithQueries(Draw(60));

        Graph graph = Build(vectors, _parameters, out GraphReport report);

        AssertAsGoodAsVamana(graph, vectors);
        AssertFindsItself(report);
    }

    [Test]
    public void A_hundred_clusters_far_apart_can_all_be_searched()
    {
        var random = new Random(Seed);
        float[][] centres =
            [.. Enumerable.Range(0, 100).Select(_ => Enumerable.Range(0, 16).Select(_ => (random.NextSingle() - 0.5f) * 200).ToArray())];
        float[][] Draw(int count) =>
            [.. Enumerable.Range(0, count).Select(i => centres[i % 100].Select(c => c + random.NextSingle() * 3).ToArray())];
        TestVectors vectors = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, Draw(2000)).WithQueries(Draw(60));

        Graph graph = Build(vectors, _parameters, out GraphReport report);

        AssertAsGoodAsVamana(graph, vectors);
        AssertFindsItself(report);
    }

    // Codes blur near points: in a cluster far from a query they cannot separate members with links to other clusters from the rest.
    [Test]
    public void Codes_lead_into_each_of_many_clusters()
    {
        const int Clusters = 150, Dimension = 24;
        var random = new Random(Seed);
        float[] Around(float[] centre, float width) => [.. centre.Select(c => c + (random.NextSingle() - 0.5f) * width)];
        float[][] centres = [.. Enumerable.Range(0, Clusters).Select(_ => Around(new float[Dimension], 400))];
        float[][] points = [.. Enumerable.Range(0, 40 * Clusters).Select(i => Around(centres[i % Clusters], 4))];
        float[][] coded = [.. Enumerable.Range(0, points.Length).Select(i => Around(centres[i % Clusters], 4))];

        Graph graph = Build(
            TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, points), _parameters, out _,
            _options with { LevelCandidates = 2 });

        var searcher = new GraphSearcher(graph);
        int[] Nearest(float[] query) =>
            searcher.Search(point => coded[point].Zip(query, (a, b) => (a - b) * (a - b)).Sum(), k: 1, listSize: 40);
        Assert.That(
            Enumerable.Range(0, Clusters).Where(cluster => Nearest(centres[cluster])[0] % Clusters != cluster), Is.Empty,
            $"clusters that searches miss, seed {Seed}");
    }

    [Test]
    public void Clusters_much_farther_apart_than_their_members_are_all_reachable()
    {
        var random = new Random(Seed);
        float[][] points = [.. Enumerable.Range(0, 1500).Select(i =>
            Enumerable.Range(0, 8).Select(j => (j == i % 8 ? 1e4f * (i % 30) : 0) + random.NextSingle()).ToArray())];

        Graph graph = Build(
            TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, points), _parameters with { MaxDegree = 12 },
            out GraphReport report);

        AssertSound(graph);
        AssertFindsItself(report);
    }

    [TestCaseSource(nameof(TwoTypes))]
    public void Many_more_copies_than_candidates_do_not_hide_their_neighbours(DistanceMetric metric, VectorElementType type)
    {
        TestVectors drawn = TestVectors.Clustered(metric, type, dimension: 12, count: 800, queries: 40, Seed);
        float[][] points = [.. drawn.Points, .. Enumerable.Repeat(drawn.Points[0], 500), .. Enumerable.Repeat(drawn.Points[1], 100)];
        TestVectors vectors = TestVectors.Of(metric, type, points).WithQueries([.. drawn.Queries, .. drawn.Points[..20]]);

        Graph graph = Build(vectors, _parameters, out GraphReport report);

        AssertSound(graph);
        AssertAsGoodAsVamana(graph, vectors);
        AssertFindsItself(report);
    }

    [Test]
    public void Copies_of_one_vector_make_a_graph([Values(30, 700)] int count)
    {
        float[][] points = [.. Enumerable.Repeat(new float[] { 1, 2, 3 }, count)];

        Graph graph = Build(TestVectors.Of(DistanceMetric.L2, VectorElementType.UInt8, points), _parameters, out _);

        AssertSound(graph);
    }

    [Test]
    public void Few_points_are_all_linked(
        [Values(1, 2, 3, 10, 70)] int count, [Values(1, 5)] int dimension,
        [Values(VectorElementType.Int8, VectorElementType.Float16)] VectorElementType type)
    {
        TestVectors vectors = TestVectors.Clustered(DistanceMetric.L2, type, dimension, count, queries: 0, Seed);

        Graph graph = Build(vectors, _parameters with { MaxDegree = 100 }, out GraphReport report, new PartitionedOptions());

        AssertSound(graph);
        Assert.That(report.Reachable, Is.EqualTo(count));
        Assert.That(report.FoundThemselves, Is.EqualTo(count));
    }

    [Test]
    public void One_link_a_point_still_reaches_all()
    {
        TestVectors vectors = TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 8, count: 300, queries: 0, Seed);

        AssertSound(Build(vectors, _parameters with { MaxDegree = 1 }, out _));
    }

    [Test]
    public void The_leaf_order_has_every_point_once_and_neighbours_close_by()
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: 1500, queries: 0, Seed);

        using BuiltGraph built = new PartitionedBuilder(_options)
            .Build(vectors.ToPointTable(), _parameters, new GraphReport(), progress: null, CancellationToken.None);

        Assert.That(built.Points, Is.EquivalentTo(Enumerable.Range(0, 1500)));
        int[] rows = [.. Enumerable.Range(0, 1500)];
        double together = PagePacker.ShareWithinPages(built.Links, rows, 10);
        new Random(Seed).Shuffle(rows);
        Assert.That(together, Is.GreaterThan(3 * PagePacker.ShareWithinPages(built.Links, rows, 10)), $"seed {Seed}");
    }

    [Test]
    public void Most_nearest_candidates_are_the_nearest_points()
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: 1500, queries: 0, Seed);
        using PointSet points = vectors.ToPointSet();

        using BuiltGraph built = new PartitionedBuilder(_options with { KeptNearest = 24 })
            .Build(vectors.ToPointTable(), _parameters, new GraphReport(), progress: null, CancellationToken.None);

        Assert.That(built.Nearest, Is.Not.Null);
        int[] all = [.. Enumerable.Range(0, 1500)];
        float[] distances = new float[1500];
        int found = 0;
        for (int row = 0; row < 1500; row += 10)
        {
            int point = built.PointOf(row);
            points.Distances(point, all, distances);
            Assert.That(built.Nearest.Of(row).ToArray(), Is.Unique.And.None.EqualTo(row).And.None.EqualTo(-1));
            int[] list = [.. built.Nearest.Of(row).ToArray().Select(built.PointOf)];
            Assert.That(list.Select(other => distances[other]), Is.Ordered);
            float limit = distances.Order().ElementAt(24);
            found += list.Count(other => distances[other] <= limit);
        }

        Assert.That(found / (150.0 * 24), Is.GreaterThan(0.9), $"seed {Seed}");
    }

    [Test]
    public void The_report_describes_the_graph()
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 16, count: 800, queries: 0, Seed);

        Graph graph = Build(vectors, _parameters, out GraphReport report, _options with { CheckedPoints = 200 });

        Assert.That(report.Reachable, Is.EqualTo(800));
        Assert.That(report.MeanDegree, Is.EqualTo(Rows(graph).Average(row => row.Length)).Within(1e-9));
        Assert.That(report.MeanDegree, Is.EqualTo(22).Within(2), "near points fill the lists up");
        Assert.That(report.Checked, Is.InRange(100, 300));
        Assert.That(report.Distances, Is.GreaterThan(800 * 8 * 50));
    }

    private static Graph Build(TestVectors vectors, GraphParameters parameters, out GraphReport report, PartitionedOptions? options = null)
    {
        report = new GraphReport();
        using BuiltGraph built = new PartitionedBuilder(options ?? _options)
            .Build(vectors.ToPointTable(), parameters, report, progress: null, CancellationToken.None);
        return Graph.Of(built);
    }

    private static void AssertAsGoodAsVamana(Graph graph, TestVectors vectors)
    {
        using BuiltGraph built = new VamanaBuilder()
            .Build(vectors.ToPointTable(), _parameters with { Threads = 1 }, new GraphReport(), progress: null, CancellationToken.None);
        Graph oracle = Graph.Of(built);
        foreach (int listSize in new[] { 15, 40 })
        {
            double expected = GraphSearcher.Recall(oracle, vectors, k: 10, listSize);
            Assert.That(
                GraphSearcher.Recall(graph, vectors, k: 10, listSize), Is.GreaterThan(expected - 0.01), $"L = {listSize}, seed {Seed}");
        }
    }

    private static void AssertFindsItself(GraphReport report) =>
        Assert.That((double)report.FoundThemselves / report.Checked, Is.GreaterThanOrEqualTo(0.995), $"seed {Seed}");

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
}

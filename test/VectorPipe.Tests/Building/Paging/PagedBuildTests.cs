using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>A build with paged tables gives the same graph as in memory, with any amount of memory.</summary>
[Platform("Linux")]
internal sealed class PagedBuildTests
{
    private const int Seed = 20270;
    private const int Count = 900;

    private static readonly PartitionedOptions _options =
        new() { LeafSize = 50, NearLeaves = 24, Probes = 8, NearCandidates = 32, KeptNearest = 0 };

    // Each metric, type and number of threads; the other combinations are heavy.
    private static IEnumerable<TestCaseData> Cases =>
        from metric in Enum.GetValues<DistanceMetric>()
        from type in Enum.GetValues<VectorElementType>()
        from threads in new[] { 1, 3 }
        let data = new TestCaseData(metric, type, threads)
        select (metric, type, threads) is (DistanceMetric.L2, VectorElementType.UInt8, 3)
            or (DistanceMetric.L2, VectorElementType.Float32, 1) or (DistanceMetric.InnerProduct, VectorElementType.Int8, 1)
            or (DistanceMetric.InnerProduct, VectorElementType.Float32, 3) or (DistanceMetric.Cosine, VectorElementType.Float16, 3)
            ? data : data.SetCategory("Heavy");

    [TestCaseSource(nameof(Cases))]
    public void The_graph_is_the_same_as_in_memory(DistanceMetric metric, VectorElementType type, int threads)
    {
        // Tables of float32 vectors take 230 blocks; the entry point's in-links alone need all ninety blocks of vectors.
        TestVectors vectors = TestVectors.Clustered(metric, type, dimension: 100, Count, queries: 0, Seed);
        var parameters = new GraphParameters(MaxDegree: 24, ListSize: 40, Alpha: 1.2f, threads, Seed: 7);
        using BuiltGraph expected = new PartitionedBuilder(_options)
            .Build(vectors.ToPointTable(), parameters, new GraphReport(), progress: null, CancellationToken.None);
        using var folder = new TemporaryFolder();
        const long blocks = 130;

        using (BuildSpace space = Open(folder, blocks * PagedMemory.BlockBytes))
        {
            var report = new GraphReport();
            using BuiltGraph built = new PartitionedBuilder(_options, space) { Refiners = (2 * threads) - 1 }.Build(
                vectors.ToPointTable(space.Memory), parameters, report, progress: null, CancellationToken.None);

            Assert.That(built.Points, Is.EqualTo(expected.Points));
            Assert.That(built.Entry, Is.EqualTo(expected.Entry));
            AssertSameRows(built, expected, space.Memory, vectors);
            Assert.That(report.Reachable, Is.EqualTo(Count));
            Assert.That(space.Memory.ResidentBytes, Is.LessThanOrEqualTo(blocks * PagedMemory.BlockBytes));
        }

        Assert.That(Directory.GetFiles(folder.Path), Is.Empty, "scratch files go with the build");
    }

    [Test]
    [Spread(2)]
    public void The_graph_of_many_copies_is_the_same_as_in_memory([Values(1, 3)] int threads)
    {
        PartitionedOptions options = _options with { LeafSize = 10 };
        TestVectors drawn = TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 20, count: 2000, queries: 0, Seed);
        float[][] points = [.. Enumerable.Range(0, 4000).Select(i => drawn.Points[i % 2 == 0 ? 0 : i / 2])];
        Assert.That(points.Length / 2, Is.GreaterThan(LeafSplitter.MostRows(options.LeafSize)), "half of them are copies of one");
        TestVectors vectors = TestVectors.Of(DistanceMetric.L2, VectorElementType.UInt8, points);
        var parameters = new GraphParameters(MaxDegree: 16, ListSize: 40, Alpha: 1.2f, Threads: 2, Seed: 7);
        using BuiltGraph expected = new PartitionedBuilder(options)
            .Build(vectors.ToPointTable(), parameters, new GraphReport(), progress: null, CancellationToken.None);
        using var folder = new TemporaryFolder();
        using BuildSpace space = Open(folder, 130 * PagedMemory.BlockBytes);

        using BuiltGraph built = new PartitionedBuilder(options, space).Build(
            vectors.ToPointTable(space.Memory), parameters with { Threads = threads }, new GraphReport(), progress: null,
            CancellationToken.None);

        Assert.That(built.Points, Is.EqualTo(expected.Points));
        AssertSameRows(built, expected, space.Memory, vectors);
    }

    [Test]
    public void A_cancelled_build_leaves_no_scratch_files(
        [Values("partition", "leaves", "merge", "refine", "repair", "reachability", "check")] string phase)
    {
        TestVectors vectors = TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 100, Count, queries: 0, Seed);
        using var cancellation = new CancellationTokenSource();
        var progress = new CancelAt(phase, cancellation);
        using var folder = new TemporaryFolder();

        using (BuildSpace space = Open(folder, 130 * PagedMemory.BlockBytes))
        {
            PointTable points = vectors.ToPointTable(space.Memory);
            Assert.That(
                () => new PartitionedBuilder(_options, space).Build(
                    points, new GraphParameters(
                        MaxDegree: 24, ListSize: 40, Alpha: 1.2f, Threads: 2, Seed: 7), new GraphReport(), progress, cancellation.Token),
                Throws.InstanceOf<OperationCanceledException>());
        }

        Assert.That(Directory.GetFiles(folder.Path), Is.Empty);
    }

    private static BuildSpace Open(TemporaryFolder folder, long bytes)
    {
        var memory = new PagedMemory(folder.Path, name => name, new DeviceOptions(), FileStorageIo.Instance, NullLogger.Instance);
        memory.SetCapacity(bytes);
        return new BuildSpace(
            memory, purpose => new ShufflePaths(Path.Combine(folder.Path, purpose), Path.Combine(folder.Path, purpose + "-offsets")));
    }

    private static void AssertSameRows(BuiltGraph built, BuiltGraph expected, PagedMemory memory, TestVectors vectors)
    {
        using GraphView view = built.OpenView();
        using PageLease lease = memory.Rent();
        for (int row = 0; row < expected.Links.Count; row++)
        {
            view.Begin();
            if (!view.Links(row).SequenceEqual(expected.Links.Links(row)))
                Assert.That(view.Links(row).ToArray(), Is.EqualTo(expected.Links.Links(row).ToArray()), $"row {row}, seed {Seed}");
            lease.Begin();
            built.Records.Ask(lease, [row]);
            lease.Fetch();
            Assert.That(built.Records.Key(row), Is.EqualTo((ulong)built.PointOf(row)));
            Assert.That(
                built.Records.Vector(row).SequenceEqual(vectors.Encode(vectors.Points[built.PointOf(row)])), Is.True,
                $"vector of row {row}");
        }
    }

    private sealed class CancelAt(string phase, CancellationTokenSource cancellation) : IProgress<GraphProgress>
    {
        public void Report(GraphProgress value)
        {
            if (value.Phase == phase)
                cancellation.Cancel();
        }
    }
}

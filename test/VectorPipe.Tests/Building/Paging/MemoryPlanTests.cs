using NUnit.Framework;
using VectorPipe.Building;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>What the arithmetic of a memory budget promises, whatever the shape of the data.</summary>
internal sealed class MemoryPlanTests
{
    private const int Seed = 4711;
    private const int Shapes = 200;
    private const long MiB = 1 << 20;

    [Test]
    public void With_the_least_budget_and_any_above_no_stage_takes_more_than_the_budget()
    {
        var random = new Random(Seed);
        foreach (BuildShape shape in RandomShapes(random))
        {
            long least = new MemoryPlan(shape, budget: 1).Least;
            foreach (long budget in new[] { least, least + 1, least + random.NextInt64(64 * MiB), least + random.NextInt64(2048 * MiB) })
            {
                var plan = new MemoryPlan(shape, budget);
                foreach (BuildStage stage in Enum.GetValues<BuildStage>())
                    Assert.That(plan.HeldBytes(stage) + plan.PagedBytes(stage), Is.EqualTo(budget), $"{stage} of {shape}, seed {Seed}");
            }
        }
    }

    [Test]
    public void Below_the_least_budget_a_stage_takes_more_than_the_budget()
    {
        foreach (BuildShape shape in RandomShapes(new Random(Seed)))
        {
            long budget = new MemoryPlan(shape, budget: 1).Least - 1;
            var plan = new MemoryPlan(shape, budget);
            Assert.That(Enum.GetValues<BuildStage>().Max(stage => plan.HeldBytes(stage) + plan.PagedBytes(stage)), Is.GreaterThan(budget), $"{shape}, seed {Seed}");
        }
    }

    [Test]
    public void The_least_budget_does_not_depend_on_the_budget([Values(null, 1L, 64 * MiB, 4096 * MiB)] long? budget)
    {
        BuildShape shape = Shape(1_000_000, VectorElementType.UInt8, 128, 64, 2);
        Assert.That(new MemoryPlan(shape, budget).Least, Is.EqualTo(new MemoryPlan(shape, 1000 * MiB).Least));
    }

    [Test]
    public void More_threads_refine_than_compute_where_memory_allows()
    {
        BuildShape shape = Shape(10_000_000, VectorElementType.UInt8, 64, 64, 2);
        long least = new MemoryPlan(shape, budget: 1).Least;
        Assert.That(new MemoryPlan(shape, least).RefineThreads, Is.InRange(2, 7), "pages are worth more than threads");
        Assert.That(new MemoryPlan(shape, least + 2048 * MiB).RefineThreads, Is.EqualTo(8));
        Assert.That(new MemoryPlan(shape, budget: null).RefineThreads, Is.EqualTo(2), "nothing is waited for");
    }

    [Test]
    public void More_vectors_need_more_memory()
    {
        long[] least = [.. new[] { 1_000, 100_000, 10_000_000 }.Select(count => new MemoryPlan(Shape(count, VectorElementType.Float32, 96, 32, 4), budget: 1).Least)];
        Assert.That(least, Is.Ordered.Ascending.And.Unique);
    }

    [Test]
    public void Without_a_budget_all_tables_are_in_memory()
    {
        BuildShape shape = Shape(1_000_000, VectorElementType.UInt8, 128, 64, 2);
        var plan = new MemoryPlan(shape, budget: null);
        const long Tables = 1_000_000L * (136 + 128 + 2 * 65 * 4);
        Assert.That(plan.TableBytes(BuildStage.Merge), Is.EqualTo(Tables));
        Assert.That(plan.TakenBytes(BuildStage.Merge), Is.EqualTo(Tables + plan.HeldBytes(BuildStage.Merge)));
        Assert.That(plan.ShuffleBytes, Is.Zero);
    }

    [Test]
    public void All_points_that_a_leaf_may_have_when_it_is_split_are_accounted_for([Values(30_000, 300_000)] int count)
    {
        // All of them may be copies, and more are split together than there are in the sample.
        BuildShape shape = Shape(count, VectorElementType.Float32, 1536, 64, 2);
        long loaded = Math.Min(count, LeafSplitter.MostRows(shape.Partitioned.LeafSize)) * 1536L * sizeof(float);
        Assert.That(new MemoryPlan(shape, budget: 1).HeldBytes(BuildStage.Partition), Is.GreaterThan(loaded + MemoryPlan.Base));
        Assert.That(new MemoryPlan(shape, budget: 1).Least, Is.GreaterThan(loaded + MemoryPlan.Base));
    }

    [Test]
    public void A_stage_takes_no_more_than_it_has_use_for()
    {
        var plan = new MemoryPlan(Shape(1_000, VectorElementType.UInt8, 128, 64, 2), budget: 8192 * MiB);
        Assert.That(plan.TakenBytes(BuildStage.Merge), Is.EqualTo(plan.HeldBytes(BuildStage.Merge) + plan.TableBytes(BuildStage.Merge)));
    }

    [Test]
    public void Chunks_of_pages_are_whole_where_memory_holds_one_and_halves_of_halves_below()
    {
        BuildShape shape = Merged(Shape(1_000_000, VectorElementType.UInt8, 128, 64, 2));
        long least = new MemoryPlan(shape, budget: 1).Least;
        int[] rows = [.. new long?[] { null, 4096 * MiB, 256 * MiB, least }.Select(budget => new MemoryPlan(shape, budget).PackChunkRows)];
        Assert.That(rows[..3], Has.All.EqualTo(PageAssignment.ChunkRows));
        Assert.That(rows[3], Is.LessThan(PageAssignment.ChunkRows).And.GreaterThanOrEqualTo(PageAssignment.LeastChunkRows));
        Assert.That(PageAssignment.ChunkRows % rows[3], Is.Zero);
    }

    [Test]
    public void The_merged_layout_needs_no_more_than_the_plain_one_does_to_search_a_million()
    {
        // Its codes and its page graph are what any search of the index takes.
        BuildShape shape = Shape(1_000_000, VectorElementType.UInt8, 128, 64, 2);
        long codes = Merged(shape).Merged!.SearchBytes;
        Assert.That(new MemoryPlan(Merged(shape), budget: 1).Least, Is.LessThanOrEqualTo(Math.Max(new MemoryPlan(shape, budget: 1).Least + MiB, codes + 64 * MiB)));
    }

    [Test]
    public void Calibrating_holds_the_queries_that_it_makes_beside_the_searches([Values(1_000, 1_000_000)] int count, [Values(128, 8192)] int dimension)
    {
        BuildShape shape = Merged(Shape(count, VectorElementType.UInt8, dimension, 64, 2));
        var merged = new MergedMemory(shape, shape.Merged!);
        (int queries, long bytes) = merged.Calibrate(null);
        long search = shape.Merged!.SearchBytes, query = (bytes - merged.LeastCalibrate) / (queries - 1);
        long made = SyntheticQueries<byte>.MemoryBytes(IndexCalibrator.DefaultQueries, dimension);
        Assert.That(merged.LeastCalibrate, Is.EqualTo(search + made + query));
        Assert.That(made, Is.GreaterThan(1000L * dimension), "the queries, and the neighbours that a block of them is made of");
        Assert.That(merged.Calibrate(merged.LeastCalibrate + 3 * query).Queries, Is.EqualTo(4), "queries are searched for at a time as memory allows");
    }

    internal static BuildShape Merged(BuildShape shape)
    {
        int stored = Math.Max(1, shape.RecordBytes - sizeof(ulong));
        MergedShape pages = PageShapes.Of(VectorElementType.UInt8, stored, shape.Count, 5, new PageContent());
        NodeLayout layout = NodeLayout.Merged(VectorElementType.UInt8, stored, pages);
        long codes = shape.Count * Math.Min(32, stored) + pages.StreamLength(layout.PageCount(shape.Count));
        return shape with { Merged = new MergedNeeds(pages, MergedFilesWriter.ApplicationsOfNode(layout, shape.Count), codes) };
    }

    internal static BuildShape Shape(long count, VectorElementType type, int dimension, int maxDegree, int threads)
    {
        long training = CodeTrainer.MemoryBytes(count, dimension, Math.Min(32, dimension), threads);
        return new BuildShape(count, dimension * type.SizeInBytes() + sizeof(ulong), VectorForm.Of(DistanceMetric.L2, type, dimension), maxDegree, threads, training, new PartitionedOptions());
    }

    private static IEnumerable<BuildShape> RandomShapes(Random random)
    {
        VectorElementType[] types = Enum.GetValues<VectorElementType>();
        for (int i = 0; i < Shapes; i++)
        {
            long count = (long)Math.Pow(10, random.NextDouble() * 9) + 1;
            BuildShape shape = Shape(count, types[random.Next(types.Length)], random.Next(1, 2000), random.Next(4, 513), random.Next(1, 33));
            yield return i % 2 == 0 ? shape : Merged(shape);
        }
    }
}

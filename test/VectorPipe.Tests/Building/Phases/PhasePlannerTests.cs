using NUnit.Framework;
using VectorPipe.Building;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Layout;
using VectorPipe.Building.PagePhases;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Model;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Keys;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Building.Phases;

/// <summary>The promises of the arithmetic of a memory budget, for every kind of index and vectors.</summary>
internal sealed class PhasePlannerTests
{
    private const int Seed = 4711;
    private const int Shapes = 120;
    private const long MiB = 1 << 20;

    private static readonly string[] _kinds = ["graph", "plain", "ivf", "coded"];

    [Test]
    public void No_phase_takes_more_than_the_least_budget_or_any_larger_one([ValueSource(nameof(_kinds))] string kind)
    {
        var random = new Random(Seed);
        foreach (PlannedShape shape in RandomShapes(random, kind))
        {
            long least = shape.Plan(budget: 1).Least;
            foreach (long budget in new[] { least, least + 1, least + random.NextInt64(64 * MiB), least + random.NextInt64(2048 * MiB) })
            {
                foreach (PhasePlan phase in shape.Plan(budget).Phases)
                    Assert.That(phase.HeldBytes + phase.PagedBytes, Is.EqualTo(budget), $"{phase.Phase.Name} of {shape}, seed {Seed}");
            }
        }
    }

    [Test]
    public void Below_the_least_budget_a_phase_takes_more_than_the_budget([ValueSource(nameof(_kinds))] string kind)
    {
        foreach (PlannedShape shape in RandomShapes(new Random(Seed), kind))
        {
            long budget = shape.Plan(budget: 1).Least - 1;
            Assert.That(
                shape.Plan(budget).Phases.Max(phase => phase.HeldBytes + phase.PagedBytes), Is.GreaterThan(budget),
                $"{shape}, seed {Seed}");
        }
    }

    [Test]
    public void The_least_budget_does_not_depend_on_the_budget_or_the_threads(
        [Values(null, 1L, 64 * MiB, 4096 * MiB)] long? budget, [ValueSource(nameof(_kinds))] string kind)
    {
        PlannedShape shape = Million(kind);
        Assert.That((shape with { Threads = 16 }).Plan(budget).Least, Is.EqualTo(shape.Plan(1000 * MiB).Least));
    }

    [Test]
    public void More_vectors_need_more_memory([ValueSource(nameof(_kinds))] string kind)
    {
        long[] least = [
            .. new[] { 1_000, 100_000, 10_000_000 }.Select(
                count => new PlannedShape(kind, count, VectorElementType.Float32, 96, 32, 4).Plan(budget: 1).Least)];
        Assert.That(least, Is.Ordered.Ascending.And.Unique);
    }

    [Test]
    public void The_least_budget_of_a_million_vectors_does_not_grow()
    {
        // Vectors of 128 bytes, degree 64. If the bound grew unnoticed, builds would refuse budgets that suffice.
        Assert.That(Million("graph").Plan(budget: 1).Least, Is.LessThan(88 * MiB));
        Assert.That(
            new PlannedShape("ivf", 10_000_000, VectorElementType.Float32, 128, 64, 2).Plan(budget: 1).Least, Is.LessThan(1110 * MiB));
    }

    [Test]
    public void More_threads_refine_than_compute_where_memory_allows()
    {
        var shape = new PlannedShape("graph", 10_000_000, VectorElementType.UInt8, 64, 64, 2);
        long least = (shape with { Threads = 1 }).Plan(budget: 1).Least;
        Assert.That(Refiners(least + (512 * MiB)), Is.InRange(2, 8));
        Assert.That(Refiners(least + (2048 * MiB)), Is.EqualTo(8));
        Assert.That(Refiners(null), Is.EqualTo(2), "no thread waits for reads");

        int Refiners(long? budget)
        {
            PhasePlanner plan = shape.Plan(budget);
            return plan.Phases.Select(phase => phase.Phase).OfType<RefinePhase>().Single().RefinersOf(plan.Threads);
        }
    }

    [Test]
    public void Without_a_budget_all_tables_are_in_memory_and_a_graph_has_no_scratch_files()
    {
        PhasePlanner plan = Million("graph").Plan(budget: null);
        long tables = 1_000_000L * (136 + 128 + (2 * 65 * 4) + (AffinityRanker.Neighbours * 4));
        PhasePlan merge = plan.Phases.First(phase => phase.Phase is MergePhase);
        Assert.That(merge.TableBytes, Is.EqualTo(tables));
        Assert.That(merge.TakenBytes, Is.EqualTo(tables + merge.HeldBytes));
        Assert.That(plan.ScratchBytes, Is.Zero);
        Assert.That(plan.Phases.Select(phase => phase.Phase), Has.None.InstanceOf<InLinkPhase>());
    }

    [Test]
    public void The_plan_counts_all_points_that_a_leaf_may_have_in_a_split([Values(30_000, 300_000)] int count)
    {
        // All of them may be copies, and a split takes more points together than the sample has.
        var shape = new PlannedShape("graph", count, VectorElementType.Float32, 1536, 64, 2);
        long loaded = Math.Min(count, LeafSplitter.MostRows(new PartitionedOptions().LeafSize)) * 1536L * sizeof(float);
        PhasePlanner plan = shape.Plan(budget: 1);
        Assert.That(
            plan.Phases.First(phase => phase.Phase is PartitionPhase).HeldBytes, Is.GreaterThan(loaded + MachineModel.ProcessBytes));
        Assert.That(plan.Least, Is.GreaterThan(loaded + MachineModel.ProcessBytes));
    }

    [Test]
    public void A_phase_takes_no_more_than_it_can_use()
    {
        PhasePlanner plan = new PlannedShape("graph", 1_000, VectorElementType.UInt8, 128, 64, 2).Plan(budget: 8192 * MiB);
        Assert.That(plan.Phases.Select(phase => phase.TakenBytes), Has.All.LessThan(256 * MiB));
    }

    [Test]
    public void Chunks_of_pages_are_halved_until_memory_holds_one()
    {
        PlannedShape shape = Million("graph");
        long least = shape.Plan(budget: 1).Least;
        int[] rows = [
            .. new long?[] { null, 4096 * MiB, 256 * MiB, least }.Select(
                budget => shape.Plan(budget).Phases.Select(phase => phase.Phase).OfType<PackPhase>().Single().ChunkRows)];
        Assert.That(rows[..3], Has.All.EqualTo(PageAssignment.ChunkRows));
        Assert.That(rows[3], Is.LessThan(PageAssignment.ChunkRows).And.GreaterThanOrEqualTo(PageAssignment.LeastChunkRows));
        Assert.That(PageAssignment.ChunkRows % rows[3], Is.Zero);
    }

    [Test]
    public void The_memory_bounds_the_queries_that_calibrate_at_a_time(
        [Values(1_000, 1_000_000)] int count, [Values(128, 8192)] int dimension)
    {
        var shape = new PlannedShape("graph", count, VectorElementType.UInt8, dimension, 64, 2);
        CalibratePhase phase = shape.Phases(isPaged: true).OfType<CalibratePhase>().Single();
        Assert.That(phase.Grow((3 * phase.QueryBytes) + 1, threads: 2), Is.EqualTo(3 * phase.QueryBytes));
        Assert.That(phase.QueriesInFlight, Is.EqualTo(4));
        Assert.That(
            phase.FixedBytes, Is.GreaterThan(SyntheticQueries<byte>.MemoryBytes(IndexCalibrator.DefaultQueries, dimension)),
            "the queries, and the index");
    }

    [Test]
    public void Shuffle_and_window_of_lists_grow_with_the_budget_up_to_their_unbounded_size([Values("shuffle", "write")] string name)
    {
        var shape = new PlannedShape("ivf", 10_000_000, VectorElementType.UInt8, 128, 64, 2);
        long[] grown = [
            .. new long?[] { 0, 1000, 1024 * MiB, null }.Select(
                room => shape.Phases(isPaged: true).Single(phase => phase.Name == name).Grow(room, threads: 2))];
        Assert.That(grown[..2], Is.EqualTo(new[] { 0, 1000 }));
        Assert.That(grown[2], Is.EqualTo(grown[3]).And.GreaterThan(MiB));
    }

    [Test]
    public void Less_memory_never_takes_less_time([ValueSource(nameof(_kinds))] string kind)
    {
        double seconds = 0;
        for (long budget = 4096 * MiB; budget >= 100 * MiB; budget -= 13 * MiB)
        {
            double now = (Million(kind) with { Threads = 1 }).Plan(budget).Seconds;
            Assert.That(now, Is.GreaterThanOrEqualTo(seconds), $"{budget} bytes");
            seconds = now;
        }
    }

    private static PlannedShape Million(string kind) => new(kind, 1_000_000, VectorElementType.UInt8, 128, 64, 2);

    private static IEnumerable<PlannedShape> RandomShapes(Random random, string kind)
    {
        VectorElementType[] types = Enum.GetValues<VectorElementType>();
        for (int i = 0; i < Shapes; i++)
        {
            long count = (long)Math.Pow(10, random.NextDouble() * 9) + 1;
            yield return new PlannedShape(
                kind, count, types[random.Next(types.Length)], random.Next(1, 2000), random.Next(4, 513), random.Next(1, 33));
        }
    }

    private sealed record PlannedShape(string Kind, long Count, VectorElementType Type, int Dimension, int MaxDegree, int Threads)
    {
        public PhasePlanner Plan(long? budget) => new(Phases(budget is not null), Threads, budget);

        public IReadOnlyList<Phase> Phases(bool isPaged)
        {
            BuildOptions graph =
                new() { Graph = new GraphBuild { MaxDegree = MaxDegree }, Threads = Threads, MemoryBudget = isPaged ? 1 : null };
            BuildOptions options = Kind switch
            {
                "graph" => graph,
                "plain" => graph.In(IndexLayout.Plain),
                _ => graph.Of(IndexKind.Ivf).WithLists(lists => lists with { Coded = Kind == "coded" }),
            };
            var source = new ShapeSource(Count, Type, Dimension);
            var request = new BuildRequest(options, source, options.Validate(Type, Dimension), null!)
            {
                Keys = KeyDirectoryOptions.Default,
                CalibrationQueries = IndexCalibrator.DefaultQueries,
            };
            return options.Recipe.Prepare(request).Phases;
        }
    }

    private sealed class ShapeSource(long count, VectorElementType type, int dimension) : VectorSource
    {
        public override VectorElementType ElementType => type;

        public override int Dimension => dimension;

        public override long Count => count;

        public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default) =>
            throw new InvalidOperationException("A plan reads no vector.");
    }
}

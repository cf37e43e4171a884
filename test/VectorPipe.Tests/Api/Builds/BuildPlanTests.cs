using Microsoft.Extensions.Logging;
using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Builds;

/// <summary>A plan predicts phases, memory and size of a build.</summary>
internal sealed class BuildPlanTests
{
    // Builds calibrate 1,000 vectors and more.
    private const int Count = 1000;
    private const int Dimension = 16;
    private const int Seed = 99;
    private const int CalibrationQueries = 30;

    private static readonly BuildOptions _options = BuildOptionsTuning.SmallGraph(degree: 16, listSize: 32) with { Threads = 2 };

    [TestCase(IndexKind.Graph, IndexLayout.Merged, null, Category = "Heavy")]
    [TestCase(IndexKind.Graph, IndexLayout.Merged, 256L << 20)]
    [TestCase(IndexKind.Graph, IndexLayout.Plain, null)]
    [TestCase(IndexKind.Graph, IndexLayout.Plain, 256L << 20, Category = "Heavy")]
    [TestCase(IndexKind.Ivf, IndexLayout.Merged, null, Category = "Heavy")]
    [TestCase(IndexKind.Ivf, IndexLayout.Merged, 256L << 20)]
    [Platform("Linux")]
    public async Task The_phases_are_those_that_a_build_reports(IndexKind kind, IndexLayout layout, long? budget)
    {
        using var folder = new TemporaryFolder();
        VectorIndexBuilder builder = Builder(folder.Path, _options.In(layout).Of(kind) with { MemoryBudget = budget });
        var progress = new Recorder(_ => { });
        await using VectorSource source = Source();
        BuildPlan plan = builder.Plan(source);
        BuildReport report = await builder.BuildAsync(source, progress);

        Assert.That(progress.Phases, Is.EqualTo(plan.Phases.Select(phase => phase.Name)));
        Assert.That(report.Phases.Select(phase => phase with { WallSeconds = 0, CpuSeconds = 0 }), Is.EqualTo(plan.Phases));
    }

    [Test]
    public async Task The_index_takes_no_more_than_planned()
    {
        using var folder = new TemporaryFolder();
        VectorIndexBuilder builder = Builder(folder.Path, _options);
        await using VectorSource source = Source();
        BuildPlan plan = builder.Plan(source);
        BuildReport report = await builder.BuildAsync(source);
        Assert.That(plan.IndexBytes, Is.InRange(report.IndexBytes * 0.9, report.IndexBytes * 1.3));
    }

    [Test]
    public void A_plan_creates_nothing()
    {
        using var folder = new TemporaryFolder();
        string directory = Path.Combine(folder.Path, "index");
        BuildPlan plan = new VectorIndexBuilder(directory, _options).Plan(Source());
        Assert.That((plan.Points, plan.Dimension, plan.ElementType), Is.EqualTo(((long)Count, Dimension, VectorElementType.UInt8)));
        Assert.That(Directory.Exists(directory), Is.False);
    }

    [Test]
    public void Sums_and_maxima_are_those_of_the_phases()
    {
        BuildPlan plan = new VectorIndexBuilder("index", _options).Plan(Source());
        Assert.That(plan.MemoryBytes, Is.EqualTo(plan.Phases.Max(phase => phase.MemoryBytes)));
        Assert.That(plan.ScratchBytes, Is.EqualTo(plan.Phases.Max(phase => phase.ScratchBytes)));
        Assert.That(plan.EstimatedSeconds, Is.EqualTo(plan.Phases.Sum(phase => phase.EstimatedSeconds)).Within(1e-9));
        Assert.That(plan.Phases.Select(phase => phase.EstimatedSeconds), Has.All.GreaterThan(0));
    }

    [Test]
    public void Options_are_checked() =>
        Assert.That(
            () => new VectorIndexBuilder("index", _options.WithGraph(graph => graph with { MaxDegree = 3 })).Plan(Source()),
            Throws.InstanceOf<ArgumentOutOfRangeException>());

    [Test]
    [Spread(2)]
    [Platform("Linux")]
    public async Task The_least_budget_suffices_and_the_index_is_the_same([Values] IndexLayout layout)
    {
        BuildOptions unbounded = _options.In(layout);
        using var folder = new TemporaryFolder();
        string bounded = Path.Combine(folder.Path, "bounded");
        string free = Path.Combine(folder.Path, "free");
        BuildOptions options =
            unbounded with { MemoryBudget = new VectorIndexBuilder(bounded, unbounded).Plan(Source()).LeastMemoryBudget };
        await Builder(bounded, options).BuildAsync(Source());
        await Builder(free, unbounded).BuildAsync(Source());
        foreach (string file in Directory.GetFiles(free))
            Assert.That(
                File.ReadAllBytes(Path.Combine(bounded, Path.GetFileName(file))).AsSpan().SequenceEqual(File.ReadAllBytes(file)), Is.True,
                file);
    }

    [Test]
    [Platform("Linux")]
    public void A_budget_too_small_for_all_threads_gives_fewer([Values] IndexKind kind)
    {
        BuildOptions asked = _options.Of(kind) with { Threads = 64 };
        BuildPlan PlanWith(long? budget, int threads) =>
            new VectorIndexBuilder("index", asked with { MemoryBudget = budget, Threads = threads }).Plan(Source());
        long least = PlanWith(null, 64).LeastMemoryBudget;
        Assert.That(PlanWith(null, 1).LeastMemoryBudget, Is.EqualTo(least), "the least is that of one thread");
        Assert.That(PlanWith(null, 64).Threads, Is.EqualTo(64));
        Assert.That(PlanWith(1L << 40, 64).Threads, Is.EqualTo(64));
        Assert.That(PlanWith(least, 64).Threads, Is.LessThan(64));
        int before = 1;
        for (long budget = least; before < 64; budget += least / 4)
        {
            BuildPlan plan = PlanWith(budget, 64);
            Assert.That(plan.Threads, Is.InRange(before, 64), $"{budget} bytes");
            Assert.That(plan.MemoryBytes, Is.LessThanOrEqualTo(budget));
            before = plan.Threads;
        }
    }

    [Test]
    [Spread(2)]
    [Platform("Linux")]
    public async Task Fewer_threads_than_requested_build_the_same_index([Values] IndexKind kind)
    {
        BuildOptions unbounded = _options.Of(kind);
        using var folder = new TemporaryFolder();
        string bounded = Path.Combine(folder.Path, "bounded"), free = Path.Combine(folder.Path, "free");
        BuildOptions options =
            unbounded with { Threads = 64, MemoryBudget = new VectorIndexBuilder(bounded, unbounded).Plan(Source()).LeastMemoryBudget };
        var log = new RecordingLogger();
        await Builder(bounded, options, new OneLoggerFactory(log)).BuildAsync(Source());
        await Builder(free, unbounded).BuildAsync(Source());
        Assert.That(log.Messages, Has.Some.Contains("of 64 worker threads"));
        foreach (string file in Directory.GetFiles(free))
            Assert.That(
                File.ReadAllBytes(Path.Combine(bounded, Path.GetFileName(file))).AsSpan().SequenceEqual(File.ReadAllBytes(file)), Is.True,
                file);
    }

    [Test]
    [Platform("Linux")]
    public void A_budget_below_the_least_is_planned_but_not_built()
    {
        using var folder = new TemporaryFolder();
        string directory = Path.Combine(folder.Path, "index");
        long least = new VectorIndexBuilder(directory, _options).Plan(Source()).LeastMemoryBudget;
        var builder = new VectorIndexBuilder(directory, _options with { MemoryBudget = least - 1 });
        Assert.That(builder.Plan(Source()).LeastMemoryBudget, Is.EqualTo(least));
        Assert.That(
            () => builder.BuildAsync(Source()),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName")
            .EqualTo("MemoryBudget").And.Message.Contains($"{least:N0}"));
        Assert.That(Directory.Exists(directory), Is.False);
    }

    [Test]
    [Platform("Linux")]
    public async Task Scratch_files_take_no_more_than_planned()
    {
        using var folder = new TemporaryFolder();
        BuildOptions options = _options with { MemoryBudget = 256 << 20 };
        VectorIndexBuilder builder = Builder(folder.Path, options);
        long most = 0;
        var progress = new Recorder(
            _ =>
            most = Math.Max(most, new DirectoryInfo(folder.Path).EnumerateFiles("scratch-*").Sum(file => file.Exists ? file.Length : 0)));
        BuildPlan plan = builder.Plan(Source());
        await builder.BuildAsync(Source(), progress);
        Assert.That(most, Is.InRange(plan.ScratchBytes / 4, plan.ScratchBytes));
    }

    [Test]
    public async Task The_plan_is_logged_before_the_work_begins()
    {
        using var folder = new TemporaryFolder();
        var logger = new RecordingLogger();
        using var factory = new OneLoggerFactory(logger);
        VectorIndexBuilder builder = Builder(folder.Path, _options, factory);
        int planned = 0;
        var progress = new Recorder(_ => planned = planned == 0 ? logger.Messages.Count : planned);
        await builder.BuildAsync(Source(), progress);
        string[] names = [.. builder.Plan(Source()).Phases.Select(phase => phase.Name)];
        string[] messages = [.. logger.Messages.Take(names.Length)];
        Assert.That(planned, Is.EqualTo(names.Length + 1), "a line a phase, and one for all");
        for (int i = 0; i < names.Length; i++)
            Assert.That(messages[i], Does.StartWith($"Plan of {names[i]}: "));
    }

    private static VectorIndexBuilder Builder(string directory, BuildOptions options, ILoggerFactory? loggers = null) =>
        new(directory, options, loggers) { CalibrationQueries = CalibrationQueries };

    private static VectorSource Source()
    {
        byte[] rows = new byte[Count * Dimension];
        new Random(Seed).NextBytes(rows);
        return VectorSource.FromMemory<byte>(rows, Dimension);
    }

    private sealed class Recorder(Action<BuildProgress> onReport) : IProgress<BuildProgress>
    {
        private readonly Lock _lock = new();

        /// <summary>Names of phases in order; rounds of one phase count once.</summary>
        public List<string> Phases { get; } = [];

        public void Report(BuildProgress value)
        {
            lock (_lock)
            {
                if (Phases.Count == 0 || Phases[^1] != value.Phase)
                    Phases.Add(value.Phase);
                onReport(value);
            }
        }
    }
}

using System.Globalization;
using System.Text.RegularExpressions;
using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Lists;

/// <summary>A memory budget bounds the build of an IVF index and does not change the index.</summary>
[Platform("Linux")]
internal sealed class ListMemoryBudgetTests
{
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [TestCase(VectorElementType.UInt8, 0, 3, DistanceMetric.L2)]
    [TestCase(VectorElementType.UInt8, 8, 1, DistanceMetric.Cosine, Category = "Heavy")]
    [TestCase(VectorElementType.Float32, 8, 3, DistanceMetric.InnerProduct)]
    [TestCase(VectorElementType.Float32, 0, 1, DistanceMetric.Cosine, Category = "Heavy")]
    public void The_least_budget_is_named_and_builds_the_same_bytes(
        VectorElementType type, int codeBytes, int threads, DistanceMetric metric)
    {
        using TestIndex test = TestIndex.BuildLists(metric, type, count: 1500, codeBytes: codeBytes);
        BuildOptions options = test.Options() with { Threads = threads };
        ArgumentOutOfRangeException refusal =
            Assert.Throws<ArgumentOutOfRangeException>(() => Build(test, "refused", options with { MemoryBudget = 1 << 20 }))!;
        Assert.That(Directory.Exists(_folder.File("refused")), Is.False, "a build that is refused leaves nothing");
        long least = LeastOf(refusal);
        Assert.That(() => Build(test, "refused", options with { MemoryBudget = least - 1 }), Throws.TypeOf<ArgumentOutOfRangeException>());

        Build(test, "least", options with { MemoryBudget = least });
        AssertSameFiles(_folder.File("least"), test.Directory);
    }

    [TestCase(4_000)]
    [TestCase(10_000, Category = "Heavy")]
    public void Vectors_that_do_not_fit_are_read_again_from_scratch_files(int count)
    {
        using TestIndex test =
            TestIndex.BuildLists(DistanceMetric.L2, VectorElementType.Float32, count, dimension: 256, lists: 200);
        var builder = new VectorIndexBuilder(_folder.File("index"), test.Options());
        long least = builder.Plan(test.Source()).LeastMemoryBudget;
        BuildOptions options = test.Options() with { MemoryBudget = least };
        BuildPlan plan = new VectorIndexBuilder(_folder.File("index"), options).Plan(test.Source());
        BuildReport report = Build(test, "index", options);

        // The shuffle writes every row once, and reads it once.
        long rows = (long)count * (test.RowBytes + sizeof(ulong));
        TestContext.Out.WriteLine(
            $"least {least:N0} bytes, {report.ScratchBytesWritten:N0} bytes written to scratch, {report.ScratchBytesRead:N0} read");
        using (Assert.EnterMultipleScope())
        {
            Assert.That(report.ScratchBytesRead, Is.GreaterThan(rows));
            Assert.That(report.ScratchBytesWritten, Is.GreaterThan(rows));
            Assert.That(plan.MemoryBytes, Is.LessThanOrEqualTo(least));
            Assert.That(plan.Phases.Select(phase => phase.Name), Is.EqualTo(report.Phases.Select(phase => phase.Name)));
            Assert.That(
                plan.ScratchBytes,
                Is.GreaterThan(new VectorIndexBuilder(_folder.File("index"), test.Options()).Plan(test.Source()).ScratchBytes));
        }

        AssertSameFiles(_folder.File("index"), test.Directory);
    }

    [Test]
    public void A_cancelled_build_leaves_no_scratch_files([Values("read", "lists: divide", "shuffle", "write", "calibrate")] string phase)
    {
        using TestIndex test = TestIndex.BuildLists(count: 4000);
        var builder = new VectorIndexBuilder(_folder.File("index"), test.Options() with { MemoryBudget = 1L << 30 });
        using var cancellation = new CancellationTokenSource();
        var progress = new ImmediateProgress(value =>
        {
            if (value.Phase == phase)
                cancellation.Cancel();
        });

        Assert.That(() => builder.BuildAsync(test.Source(), progress, cancellation.Token), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(Directory.GetFiles(_folder.Path, "*.vp", SearchOption.AllDirectories), Is.Empty);
        Assert.That(() => VectorIndex.Inspect(_folder.File("index")), Throws.InstanceOf<IndexNotFoundException>());
    }

    private BuildReport Build(TestIndex test, string name, BuildOptions options) =>
        new VectorIndexBuilder(_folder.File(name), options) { CalibrationQueries = test.CalibrationQueries }.BuildAsync(test.Source())
        .GetAwaiter().GetResult();

    private static long LeastOf(ArgumentOutOfRangeException refusal)
    {
        Match match = Regex.Match(refusal.Message, @"at least ([\d,.\s]+?) bytes");
        Assert.That(match.Success, Is.True, refusal.Message);
        return long.Parse(Regex.Replace(match.Groups[1].Value, @"\D", ""), CultureInfo.InvariantCulture);
    }

    private static void AssertSameFiles(string directory, string expected)
    {
        string[] names = [.. Directory.EnumerateFiles(expected).Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal)];
        Assert.That(
            Directory.EnumerateFiles(directory).Select(Path.GetFileName).Order(StringComparer.Ordinal), Is.EqualTo(names),
            "no scratch is left");
        foreach (string name in names)
            Assert.That(
                File.ReadAllBytes(Path.Combine(directory, name)).AsSpan().SequenceEqual(File.ReadAllBytes(Path.Combine(expected, name))),
                Is.True, name);
    }

    private sealed class ImmediateProgress(Action<BuildProgress> report) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value) => report(value);
    }
}
